import { baseUrlOf, isLocal, offeredModels } from '../adapters/llm/index.ts';
import { TabloomError, toErrorInfo } from '../model/errors.ts';
import { isObject } from '../model/json.ts';
import type { ModelChoice } from '../model/model-choice.ts';
import { priceOf } from '../model/model-prices.ts';
import type { ModelSettings } from '../model/model-settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelPort } from '../ports/model.ts';

/** How long the test of a model may take, milliseconds. */
const TEST_TIMEOUT = 30_000;
/** How long it may take to find out why it failed. */
const WHY_TIMEOUT = 5_000;
/** Enough for one word, also of a model that thinks first. */
const TEST_TOKENS = 256;
/** Names of models that are told where the one that was asked is none of them. */
const NAMED = 5;

/** What came of a test. */
export interface ModelTest {
  ok: boolean;
  message: string;
  /** Error code, and status of HTTP, where it went wrong. */
  code?: string;
  status?: number;
  /** Origin that the browser may be asked to give access to, since without it the server's answers cannot be read. */
  origin?: string;
}

/** What the browser knows of ways to a server. */
export interface Reach {
  fetch: typeof globalThis.fetch;
  /** `false` only where the browser is sure that there is no network. */
  online(): boolean;
  /** Whether the person gave access to an origin: answers from there can be read whatever the server says of other origins. */
  granted(origin: string): Promise<boolean>;
}

/** Asks a model for one word, and says what is wrong where it does not answer. Never rejects. */
export async function testModel(
  parts: { port: ModelPort; clock: Clock; reach: Reach; key: (account: string) => Promise<string | undefined> },
  settings: ModelSettings,
  choice: ModelChoice | undefined,
  name: string | undefined,
): Promise<ModelTest> {
  const { port, clock, reach } = parts;
  try {
    const reply = await within(
      clock,
      TEST_TIMEOUT,
      `The model did not answer in ${TEST_TIMEOUT / 1000} s; check its address and whether it runs.`,
      (signal) =>
        port.generate({
          call: { runId: 'test', path: 'test', attempt: 1 },
          model: name,
          messages: [{ role: 'user', content: 'Answer with the single word: ready' }],
          maxTokens: TEST_TOKENS,
          signal,
        }),
    );
    const counted = choice && !priceOf(settings, choice) ? ' It has no price here: only tokens are counted.' : '';
    return { ok: true, message: `${reply.model} answered.${counted}` };
  } catch (error) {
    const { code, message, details } = toErrorInfo(error);
    const status = isObject(details) && typeof details.status === 'number' ? { status: details.status } : {};
    const failed: ModelTest = { ok: false, message, code, ...status };
    if (!choice) return failed;
    try {
      return await within(clock, WHY_TIMEOUT, 'It takes too long to find out why.', async (signal) => {
        if (code === 'network') return { ...failed, ...(await whyNoAnswer(reach, choice, message, signal)) };
        if (status.status === 404) return { ...failed, ...(await whichModels(parts, choice, message, signal)) };
        return failed;
      });
    } catch {
      return failed;
    }
  }
}

/** Why nothing came back: no network, an answer that the browser keeps from us, or nobody there. */
async function whyNoAnswer(
  { fetch, online, granted }: Reach,
  { account }: ModelChoice,
  message: string,
  signal: AbortSignal,
): Promise<Partial<ModelTest>> {
  const base = baseUrlOf(account);
  const { origin, host } = new URL(base);
  if (!isLocal(base) && !online()) return { message: 'This computer is offline: connect it, then test again.' };
  if (await granted(origin)) {
    return {
      message: `${message} Tabloom has access to ${host}, so no rule of the server keeps it out: it is not there, or something else in the browser or the network blocks it (an ad blocker, a policy, a firewall).`,
    };
  }
  // An opaque answer tells only that there is one. No key goes along.
  const answers = await fetch(base, {
    mode: 'no-cors',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal,
  }).then(
    () => true,
    () => false,
  );
  return answers
    ? {
        message: `${host} answers, but does not let this extension read its answers (CORS): allow Tabloom to reach ${host}, or allow its origin in the server's CORS setting.`,
        origin,
      }
    : { message: `${message} It may also be that something in the browser blocks ${host} (an ad blocker, a policy).` };
}

/** Which names the server has in place of the one that it does not know. */
async function whichModels(
  { reach, key }: { reach: Reach; key: (account: string) => Promise<string | undefined> },
  { account, modelId }: ModelChoice,
  message: string,
  signal: AbortSignal,
): Promise<Partial<ModelTest>> {
  const offered = await offeredModels(account, await key(account.id), reach.fetch, signal);
  if (offered.length === 0 || offered.includes(modelId)) return {};
  const alike = (one: string) => commonStart(one, modelId);
  const nearest = [...offered].sort((a, b) => alike(b) - alike(a)).slice(0, NAMED);
  const more = offered.length > nearest.length ? `, and ${offered.length - nearest.length} more` : '';
  return { message: `${message} It has ${nearest.join(', ')}${more}.` };
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

async function within<T>(
  clock: Clock,
  ms: number,
  late: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const cancel = clock.setTimer(ms, () => controller.abort(new TabloomError('timeout', late)));
  try {
    return await work(controller.signal);
  } finally {
    cancel();
  }
}
