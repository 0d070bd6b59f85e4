import type { App } from './app.ts';

/**
 * Lets go on what waits for a grant that is there by now. What a step waits for is an origin, or an origin pattern where the browser hid
 * the page; the browser is asked about each. Called when grants were added, after recovery (a grant may have come while the browser was
 * closed), and when a run is resumed.
 */
export async function resumeGranted({
  engine,
  store,
  grants,
}: Pick<App, 'engine' | 'store' | 'grants'>): Promise<void> {
  const subjects = new Set<string>();
  for (const run of engine.active) {
    if (!run.waitingFor.includes('permission')) continue;
    for (const { wait } of await store.steps(run.runId))
      if (wait?.kind === 'permission' && wait.subject) subjects.add(wait.subject);
  }
  const there: string[] = [];
  for (const subject of subjects) if (await grants.covers(subject)) there.push(subject);
  if (there.length > 0) engine.granted(there);
}
