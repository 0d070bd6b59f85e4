import { pageAddress, turnOf, unfinishedOf } from '../../engine/triggers/rules.ts';
import type { RunStatus } from '../../model/run.ts';
import type { Firing } from '../../model/triggers.ts';
import { untilAlive } from '../alive.ts';
import type { App } from '../app.ts';
import { startRun } from '../handlers/runs.ts';
import type { KnownTrigger } from './known.ts';
import { inputOf, unasked } from './ready.ts';

const UNFINISHED: RunStatus[] = ['queued', 'running', 'waiting', 'paused'];

/** What became of a firing. `wait` and `again` leave it where it is: for a run before it, or for a store that fails. */
export type Outcome =
  | { is: 'started'; runId: string }
  | { is: 'wait' | 'again' | 'gone' }
  | { is: 'refused'; code: string; message: string };

/**
 * Begins the run of a firing, or says why not. However often it is asked for the same firing, also by another worker, there is one run.
 * @param asked a person stands by, and has answered what there was to ask
 */
export async function beginFiring(
  app: Omit<App, 'triggers'>,
  { workflow, trigger }: KnownTrigger,
  firing: Firing,
  asked = false,
): Promise<Outcome> {
  const { store, engine, clock } = app;
  const { workflowId, definition } = workflow;
  const there = await store.runByStartKey(workflowId, firing.key);
  if (there) return { is: 'started', runId: there.runId };
  const before = unfinishedOf(await store.runs({ workflowId, status: UNFINISHED }), trigger.id);
  const turn = turnOf(trigger.concurrency, before.length > 0);
  if (turn === 'wait') return { is: 'wait' };
  if (turn === 'drop')
    return {
      is: 'refused',
      code: 'trigger_busy',
      message: 'Wait for the run before this one: only one may go on at a time.',
    };
  if (firing.tab?.address !== undefined && !(await stillThere(app, firing.tab))) return { is: 'gone' };
  const input = firing.input ?? inputOf(definition, trigger, firing.trigger);
  const open = asked ? [] : await unasked(app, definition);
  if (open.length > 0) {
    const message = `Start the workflow by hand once, and allow that text from pages is sent to ${open.join(', ')}.`;
    return { is: 'refused', code: 'consent_missing', message };
  }
  if (turn === 'replace')
    for (const { runId } of before)
      await engine.send({
        commandId: `${firing.key}/replaces/${runId}`,
        at: clock.now(),
        by: `trigger:${trigger.id}`,
        roles: [],
        surface: 'trigger',
        command: { type: 'cancel', runId },
      });
  const tabId = firing.tab?.session === app.session ? firing.tab.id : undefined;
  const answer = await startRun(
    app,
    { workflowId, input, key: firing.key, ...(tabId !== undefined && { tabId }) },
    firing.trigger,
  );
  if ('runId' in answer) return { is: 'started', runId: answer.runId };
  const { code, message } = answer.refused;
  return code === 'internal' ? { is: 'again' } : { is: 'refused', code, message };
}

async function stillThere(
  { browser, clock, session }: Pick<App, 'browser' | 'clock' | 'session'>,
  tab: NonNullable<Firing['tab']>,
): Promise<boolean> {
  if (tab.session !== session) return false;
  const found = await browser.tabs.get(tab.id).catch(() => undefined);
  // A worker that is being ended is told nothing of any tab.
  if (!found) await untilAlive(browser, clock);
  return found?.url !== undefined && pageAddress(found.url) === tab.address;
}
