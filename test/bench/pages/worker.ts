import { BrowserPages, type PageBrowser } from '../../../src/adapters/browser/index.ts';
import { systemClock } from '../../../src/adapters/clock.ts';
import { toErrorInfo } from '../../../src/model/errors.ts';
import type { PageCall } from '../../../src/ports/pages.ts';

/** Background of the benchmark's copy of the build: the page actions as the product has them, asked by messages from a page of its own. */

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

chrome.runtime.onMessage.addListener((message: { dialogs?: unknown } & Partial<Ask>, sender, answer) => {
  if (message.dialogs !== undefined) {
    if (sender.tab?.id !== undefined) pages.heard(sender.tab.id, message.dialogs);
    return false;
  }
  const work =
    'act' in message ? act(message.act as PageCall) : 'within' in message ? within(message.within) : undefined;
  void work?.then(answer);
  return work !== undefined;
});

async function act(call: Omit<PageCall, 'signal'>): Promise<unknown> {
  try {
    return { result: await pages.perform({ ...call, signal: new AbortController().signal }) };
  } catch (error) {
    return { error: toErrorInfo(error) };
  }
}

async function within(asked: { tabId: number; rounds: number } | undefined): Promise<unknown> {
  const { tabId = 0, rounds = 0 } = asked ?? {};
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
