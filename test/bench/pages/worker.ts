import { BrowserPages, type PageBrowser } from '../../../src/adapters/browser/index.ts';
import { systemClock } from '../../../src/adapters/clock.ts';
import { toErrorInfo } from '../../../src/model/errors.ts';
import type { PageCall } from '../../../src/ports/pages.ts';

/** Background of the benchmark's copy of the build: the page actions as the product has them, asked by Node in the worker itself. */

const browser = chrome as unknown as PageBrowser;
const pages = new BrowserPages({
  browser,
  session: 'bench',
  clock: systemClock,
  vault: {
    names: async () => [],
    reveal: async () => undefined,
    set: async () => undefined,
    remove: async () => undefined,
  },
});

/** What the benchmark asks for. `within`: so many snapshots in the tab's page, timed there, without any message in between. */
export type Ask = { act: Omit<PageCall, 'signal'> } | { within: { tabId: number; rounds: number } };

// For `startOurs` to call.
(globalThis as unknown as { tabloomBench: unknown }).tabloomBench = (asked: Ask): Promise<unknown> =>
  'act' in asked ? act(asked.act) : within(asked.within);

chrome.runtime.onMessage.addListener((message: { dialogs?: unknown }, sender) => {
  if (message.dialogs !== undefined && sender.tab?.id !== undefined) pages.heard(sender.tab.id, message.dialogs);
});

async function act(call: Omit<PageCall, 'signal'>): Promise<unknown> {
  try {
    return { result: await pages.perform({ ...call, signal: new AbortController().signal }) };
  } catch (error) {
    return { error: toErrorInfo(error) };
  }
}

async function within({ tabId, rounds }: { tabId: number; rounds: number }): Promise<unknown> {
  const [answer] = await chrome.scripting.executeScript({ target: { tabId }, func: timeSnapshots, args: [rounds] });
  return { result: answer?.result };
}

/** Runs in the page, beside the page script. */
async function timeSnapshots(rounds: number): Promise<number[]> {
  const script = (globalThis as unknown as { __tabloomPage: { call(request: object): Promise<unknown> } })
    .__tabloomPage;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await script.call({ id: 'bench', op: 'snapshot', args: { maxChars: 20_000 }, waitMs: 0, origin: self.origin });
    times.push(performance.now() - start);
  }
  return times;
}
