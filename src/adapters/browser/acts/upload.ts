import { outcomeUnknown } from '../../../engine/retry.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { PageCall, PageFile } from '../../../ports/pages.ts';
import type { Acting } from '../acting.ts';
import { MOST_BYTES, tooLarge } from '../files/limit.ts';
import { bringFiles } from '../files/page-files.ts';
import { showHiddenClicks } from '../files/page-hook.ts';
import { markActed } from '../filled.ts';
import { following } from '../follow.ts';
import { actOnce } from '../once.ts';
import type { ActContext, Done, TabAct } from './context.ts';
import { inPage } from './in-page.ts';

/** The files are looked at before any page is: of this run, and together not too large. */
export const uploadFile: TabAct = async (context, given) => {
  const files = await filesOf(context.call, given.artifacts as string[]);
  const use = { once: true, read: false, anyPage: false };
  return inPage(context, given, use, (_, acting, args) => upload(context, acting, args, files));
};

async function filesOf(call: PageCall, ids: readonly string[]): Promise<PageFile[]> {
  const files: PageFile[] = [];
  for (const id of ids) {
    const file = await call.artifact?.(id);
    if (!file) {
      throw new TabloomError(
        'artifact_missing',
        `Give the artifactId that a step before gave: this run keeps no file "${id.slice(0, 100)}", and no other file can be uploaded.`,
        { details: { field: 'artifacts' }, acted: false },
      );
    }
    files.push(file);
  }
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > MOST_BYTES) throw tooLarge(size);
  return files;
}

async function upload(context: ActContext, acting: Acting, args: JsonObject, files: PageFile[]): Promise<Done> {
  const { driver, call, token } = context;
  const { tab } = acting;
  const { artifacts: _, ...rest } = args;
  const told = files.map(({ name, mediaType, bytes }) => ({ name, type: mediaType, size: bytes.length }));
  const request = { ...rest, files: told, staged: token };
  let undo: (() => Promise<void>) | undefined;
  let acted = true;
  try {
    const { result } = await following(driver, acting, () =>
      actOnce(driver, acting, 'upload_file', request, token, async (place, origin) => {
        if (!(await bringFiles(driver, acting, place, origin, token, files))) return false;
        undo = await showHiddenClicks(driver, place);
        return true;
      }),
    );
    // A page that was sent away by it has taken the files.
    const output = (result.value ?? { files: told.map(({ name, size }) => ({ name, size })) }) as JsonObject;
    await driver.host.look(call, tab.tab).catch(() => undefined);
    return await context.withDialogs(output, tab, result.matched);
  } catch (error) {
    acted = !TabloomError.is(error) || outcomeUnknown(error.info);
    throw error;
  } finally {
    await undo?.();
    if (acted) await context.note(markActed(driver.host.tabs(call), tab.tab), tab).catch(() => undefined);
  }
}
