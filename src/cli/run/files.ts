import { writeFileSync } from 'node:fs';
import type { RunDetail } from '../../app/protocol.ts';
import type { RunTab } from '../../model/run.ts';
import { exportRun } from '../../model/run-export.ts';
import type { Background } from './background.ts';
import type { Io } from './io.ts';
import type { OutFolder } from './out-folder.ts';
import type { Session } from './session.ts';

/** Saves the run's artifacts under their own names. @returns the names they got */
export async function saveArtifacts(session: Session, detail: RunDetail, folder: OutFolder): Promise<string[]> {
  const names: string[] = [];
  for (const { artifactId } of detail.artifacts) {
    const found = await session.background.ask('artifact.get', { artifactId });
    if (found) names.push(folder.write(found.row.name, Buffer.from(found.base64, 'base64')));
  }
  return names;
}

/** Writes the run's events where the person said. @returns whether that worked; what did not is said */
export async function saveExport(
  background: Background,
  runId: string,
  file: string,
  io: Pick<Io, 'say' | 'complain'>,
): Promise<boolean> {
  const { events } = await background.ask('run.events', { runId });
  const whole = await exportRun(runId, events, async (hash) => (await background.ask('blob.get', { hash }))?.text);
  try {
    writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`);
  } catch {
    io.complain(`Name a file that can be written for --export: ${file} cannot.`);
    return false;
  }
  io.say(`Events in ${file}.`);
  return true;
}

/** The run's current tab, as far as it is still open. */
export function lastTab({ run }: RunDetail): RunTab | undefined {
  const open = run.tabs?.list.filter(({ closed }) => closed === undefined) ?? [];
  return open.find(({ tab }) => tab === run.tabs?.current) ?? open.at(-1);
}

/** A picture of the run's current page; `undefined` when it is gone, or does not let itself be drawn. */
export async function pageOf(session: Session, detail: RunDetail): Promise<Buffer | undefined> {
  const tab = lastTab(detail);
  if (!tab) return undefined;
  const { cdp } = session.browser;
  try {
    // The browser's own number of a tab is not known to CDP; the address is.
    const target = (await cdp.targets()).find(({ type, url }) => type === 'page' && url === tab.url);
    if (!target) return undefined;
    const page = await cdp.attach(target.targetId);
    try {
      const { data } = await page.send<{ data: string }>('Page.captureScreenshot', {
        format: 'png',
        captureBeyondViewport: true,
      });
      return Buffer.from(data, 'base64');
    } finally {
      await page.detach();
    }
  } catch {
    return undefined; // A picture is a courtesy: the run's result does not hang on it.
  }
}
