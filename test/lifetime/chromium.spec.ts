import { setTimeout as sleep } from 'node:timers/promises';
import { type Alone, expect, test } from './alone.ts';

/** How long the worker lives in a real Chromium, with none of our pages open and nothing attached to it. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** The browser ends an idle worker after 30 s; it then needs a moment. */
const ASLEEP_BY = 75 * SECOND;
/** On top of a due time: the alarm may be late by half a minute, and the machine is busy. */
const LATE = 2 * MINUTE;

const ask = (id: string, more: object = {}) => ({ id, type: 'recipe', prompt: `This is ${id}.`, ...more });
/** Ids of the steps that have asked the model, in order. */
const askers = ({ llm }: Alone) =>
  llm.requests.map(({ body }) => /This is (\w+)\./.exec(JSON.stringify(body.messages))?.[1]);

/** Starts a run of a model call, a wait and a model call, and comes back when the second call was made. */
async function throughWait(alone: Alone, minutes: number): Promise<void> {
  alone.llm.script({ text: 'done' });
  const runId = await alone.begin([ask('before'), { id: 'pause', type: 'wait', for: `${minutes}m` }, ask('after')]);
  await expect.poll(() => alone.awake, { timeout: ASLEEP_BY, message: 'the worker sleeps' }).toBe(false);
  // Nobody opens a page, so what asks the model is a worker that the browser has woken by our alarm.
  await alone.asked(2, minutes * MINUTE + LATE);
  const [first, second] = alone.llm.requests;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(minutes * MINUTE);
  expect(alone.lives.length, 'lives of the worker').toBeGreaterThan(1);
  const slept = (alone.lives[1]?.from ?? 0) - (alone.lives[0]?.to ?? 0);
  expect(slept, 'time without a worker').toBeGreaterThan((minutes * MINUTE) / 3);

  const { run, steps } = await alone.ended(runId);
  expect(run).toMatchObject({ status: 'completed' });
  expect(steps.find(({ path }) => path === 'pause')?.output).toMatchObject({ wokenBy: 'timer' });
  expect(askers(alone)).toEqual(['before', 'after']);
}

test('a wait of ten minutes: the worker sleeps, is woken in time by the alarm, and goes on', async ({ alone }) => {
  await throughWait(alone, 10);
});

test('a wait of two minutes: the worker sleeps, is woken in time by the alarm, and goes on', async ({ alone }) => {
  await throughWait(alone, 2);
});

test('the browser is killed in a wait of two minutes, and its alarms with it: the next start sets the alarm again', async ({
  alone,
}) => {
  alone.llm.script({ text: 'done' });
  const runId = await alone.begin([ask('before'), { id: 'pause', type: 'wait', for: '2m' }, ask('after')]);
  await alone.asked(1, MINUTE);
  await alone.answered(MINUTE);
  await sleep(2 * SECOND);
  await alone.kill();
  await alone.launch();
  await alone.leave();
  await expect.poll(() => alone.awake, { timeout: ASLEEP_BY, message: 'the worker sleeps' }).toBe(false);
  await alone.asked(2, 2 * MINUTE + LATE);
  expect((await alone.ended(runId)).run).toMatchObject({ status: 'completed' });
  expect(askers(alone)).toEqual(['before', 'after']);
});

for (const { what, stream } of [
  { what: 'streamed over 75 s', stream: true },
  { what: 'in one piece after 75 s', stream: false },
]) {
  test(`a model's reply ${what}: the worker lives through it, and asks once`, async ({ alone }) => {
    alone.llm.script({
      text: 'a slow word '.repeat(20),
      ...(stream ? { overMs: 75 * SECOND } : { holdMs: 75 * SECOND }),
    });
    const runId = await alone.begin([ask('slow', { timeout: '4m' })], stream ? {} : { stream: false });
    await alone.asked(1, MINUTE);
    await alone.answered(3 * MINUTE);
    expect(alone.lives, 'one life, from the start of the run to its end').toHaveLength(1);
    const { run, steps } = await alone.ended(runId);
    expect(run, JSON.stringify(steps)).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    expect(steps[0]).toMatchObject({ attempt: 1, output: { text: 'a slow word '.repeat(20) } });
    expect(alone.llm.requests.map(({ body }) => body.stream === true)).toEqual([stream]);
  });
}

test("a model's first byte after 40 s: the worker lives on, and asks it once", async ({ alone }) => {
  alone.llm.script({ text: 'ready', holdMs: 40 * SECOND });
  const runId = await alone.begin([ask('slow', { timeout: '4m' })]);
  await alone.asked(1, MINUTE);
  await alone.answered(3 * MINUTE);
  const [request] = alone.llm.requests;
  expect(Date.now() - (request?.at ?? 0)).toBeGreaterThanOrEqual(40 * SECOND);
  const { run, steps } = await alone.ended(runId);
  expect(run.status).toBe('completed');
  expect(steps[0]).toMatchObject({ attempt: 1, output: { text: 'ready' } });
  expect(alone.llm.requests).toHaveLength(1);
});

test('the worker is ended in the middle of a model call: the watchdog wakes another, which asks again and completes', async ({
  alone,
}) => {
  let letGo: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  alone.llm.script({ text: 'never heard', hold }, { text: 'heard' });
  const runId = await alone.begin([ask('slow', { timeout: '10m' })]);
  await alone.asked(1, MINUTE);
  await alone.stopWorker();
  await expect.poll(() => alone.awake, { message: 'the worker is gone' }).toBe(false);
  await alone.asked(2, LATE);
  letGo();
  const { run, steps } = await alone.ended(runId);
  expect(run.status).toBe('completed');
  expect(steps[0]?.output).toEqual({ text: 'heard' });
  expect(alone.llm.requests).toHaveLength(2);
});
