import type { ServerContext } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progressTo } from '../../src/bridge/front/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function asked(progressToken?: string) {
  const told: unknown[] = [];
  const notify = async ({ params }: { params: unknown }) => void told.push(params);
  const mcpReq = { _meta: progressToken === undefined ? undefined : { progressToken }, notify };
  return { told, ctx: { mcpReq } as unknown as ServerContext };
}

it('a client that asks for progress hears of each change, and every ten seconds that it goes on', () => {
  const { told, ctx } = asked('p');
  const { progress, stop } = progressTo(ctx);
  vi.advanceTimersByTime(10_000);
  progress('waiting: browser_click');
  vi.advanceTimersByTime(20_000);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([
    { progressToken: 'p', progress: 1, message: 'waiting for the browser' },
    ...[2, 3, 4].map((count) => ({ progressToken: 'p', progress: count, message: 'waiting: browser_click' })),
  ]);
});

it('one that does not hears nothing', () => {
  const { told, ctx } = asked();
  progressTo(ctx).progress('running');
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
});
