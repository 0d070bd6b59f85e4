import { offerOf } from './resources.ts';
import type { FrontSession } from './session.ts';

/** The protocol's own bound. */
const MOST = 100;

/** Values that an argument of a resource template may have, which begin with what is written so far. */
export async function complete(
  session: FrontSession,
  argument: { name: string; value: string },
  signal: AbortSignal,
): Promise<{ values: string[]; total: number; hasMore: boolean }> {
  const { workflows, runs, tabs } = await offerOf(session, signal);
  const known: Record<string, string[]> = {
    workflowId: workflows.map(({ workflowId }) => workflowId),
    runId: runs.map(({ runId }) => runId),
    tab: tabs.map(({ tab }) => tab),
  };
  const all = Object.hasOwn(known, argument.name) ? (known[argument.name] as string[]) : [];
  const fits = all.filter((one) => one.toLowerCase().startsWith(argument.value.toLowerCase()));
  return { values: fits.slice(0, MOST), total: fits.length, hasMore: fits.length > MOST };
}
