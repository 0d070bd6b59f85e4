import { outcomeUnknown } from '../../../engine/retry.ts';
import { TabloomError } from '../../../model/errors.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import type { Acting } from '../acting.ts';
import { askPage, makeRequest, type PageAnswer, withTargets } from '../ask.ts';
import { clickForFile, type GivenFile } from '../files/click-for-file.ts';
import { fetchFile } from '../files/fetch-file.ts';
import { fileName, mediaTypeOf, nameInAddress } from '../files/name.ts';
import { takeFile } from '../files/page-files.ts';
import { markActed } from '../filled.ts';
import { beforehand } from '../once.ts';
import { openable } from '../opening.ts';
import type { ActContext, Done, TabAct } from './context.ts';
import { inPage } from './in-page.ts';

/** Keeps a file: from an address, from where a link leads, or what a click makes the page or its server hand out. */
export const download: TabAct = async (context, given) => {
  if (given.url === undefined)
    return inPage(context, given, { once: true, read: false, anyPage: false }, (_, acting, args) =>
      fromTarget(context, acting, args),
    );
  const { driver, call, time } = context;
  const args = await context.fill(given);
  const url = await openable(driver, call, args.url);
  const check = (one: string): Promise<string> => driver.gate.check(one, { sites: call.sites });
  const { bytes, mediaType, suggested, url: last } = await fetchFile(url, check, time);
  return kept({ bytes, mediaType, names: [suggested, nameInAddress(last), nameInAddress(url)] }, args);
};

async function fromTarget(context: ActContext, acting: Acting, args: JsonObject): Promise<Done> {
  const { driver, call } = context;
  const { tab } = acting;
  const found = await look(context, acting, args);
  const link = (found.value as { link: { href: string; name: string; attribute: boolean } | null }).link;
  if (link) {
    const file = await fromLink(context, acting, found, link);
    if (file) return kept(file, args, found.matched);
  }
  let acted = true;
  try {
    const { file, matched } = await clickForFile(driver, acting, args, context.token);
    const done = await context.withDialogs({}, tab, matched);
    return { ...kept(file, args), ...(done.meta ? { meta: done.meta } : {}) };
  } catch (error) {
    acted = !TabloomError.is(error) || outcomeUnknown(error.info);
    throw error;
  } finally {
    if (acted) await context.note(markActed(driver.host.tabs(call), tab.tab), tab).catch(() => undefined);
  }
}

/** All that comes before has done nothing, whatever it fails with. */
async function look({ driver }: ActContext, acting: Acting, args: JsonObject): Promise<PageAnswer> {
  return beforehand(askPage(driver, acting, 'locate', { ...args, for: 'download' }));
}

/** The file of a link, without a click; `undefined` where it leads to a page, so that a click has to show what it does. */
async function fromLink(
  { driver, call, time }: ActContext,
  acting: Acting,
  { place, origin, group }: PageAnswer,
  link: { href: string; name: string; attribute: boolean },
): Promise<GivenFile | undefined> {
  if (/^https?:/.test(link.href)) {
    const check = (one: string): Promise<string> => driver.gate.check(one, { sites: call.sites });
    const file = await fetchFile(link.href, check, time);
    if (/html/.test(file.mediaType) && !file.attachment && !link.attribute) return undefined;
    const { bytes, mediaType, suggested, url } = file;
    return { bytes, mediaType, names: [suggested, link.name, nameInAddress(url), nameInAddress(link.href)] };
  }
  const request = makeRequest('read_link', withTargets({ href: link.href, name: link.name }, group), 0, origin);
  const asked = await beforehand(driver.scripts.ask(place, request, time));
  if (asked.gone || !asked.reply.ok || !isObject(asked.reply.value))
    throw new TabloomError('download_failed', 'Try again: the page took its file back before it could be read.', {
      acted: false,
    });
  const { key, size, type } = asked.reply.value as { key: string; size: number; type: string };
  const bytes = await beforehand(takeFile(driver, acting, place, origin, { key, size }));
  return { bytes, mediaType: mediaTypeOf(type), names: [link.name] };
}

function kept({ bytes, mediaType, names }: GivenFile, args: JsonObject, matched?: number): Done {
  const name = fileName(typeof args.name === 'string' ? args.name : undefined, ...names);
  return {
    output: null,
    artifact: { name, mediaType, bytes },
    ...(matched === undefined ? {} : { meta: { matched } }),
  };
}
