import { describe, expect, it } from 'vitest';
import { type BuiltInModel, createModelPort } from '../../../src/adapters/llm/index.ts';
import type { ModelSettings } from '../../../src/model/model-settings.ts';
import type { ModelRequest } from '../../../src/ports/model.ts';
import { request } from '../../support/providers.ts';

/** The model that is built into the browser, played by a stand-in with the shape of the Prompt API. */

const SETTINGS: ModelSettings = {
  accounts: [{ id: 'own', provider: 'browser', hasKey: false }],
  names: { fast: 'own:built-in' },
  default: 'fast',
};

interface Played {
  state?: 'unavailable' | 'downloadable' | 'downloading' | 'available';
  /** Takes no pictures. */
  blind?: boolean;
  says?: string[];
  /** What is thrown after the first piece. */
  fails?: Error;
  hangs?: boolean;
}

function played({ state = 'available', blind = false, says = ['ok'], fails, hangs }: Played = {}) {
  const seen = { created: [] as unknown[], prompted: [] as unknown[], destroyed: 0 };
  const api: BuiltInModel = {
    availability: async ({ expectedInputs }) => (blind && expectedInputs ? 'unavailable' : state),
    params: async () => ({ defaultTopK: 3, maxTemperature: 2 }),
    create: async ({ signal: _, ...options }) => {
      seen.created.push(options);
      return {
        promptStreaming: (input, { signal, ...more }) => {
          seen.prompted.push({ input, ...more });
          return new ReadableStream<string>({
            start(controller) {
              for (const piece of says) controller.enqueue(piece);
              if (hangs) signal.addEventListener('abort', () => controller.error(signal.reason));
              else if (fails) controller.error(fails);
              else controller.close();
            },
          });
        },
        destroy: () => {
          seen.destroyed += 1;
        },
      };
    },
  };
  const port = createModelPort({
    settings: () => SETTINGS,
    vault: { reveal: async () => undefined },
    clock: { now: () => 0 },
    builtIn: () => api,
    fetch: () => Promise.reject(new Error('nothing may leave the computer')),
  });
  return { port, seen };
}

const without = createModelPort({
  settings: () => SETTINGS,
  vault: { reveal: async () => undefined },
  clock: { now: () => 0 },
  builtIn: () => undefined,
});

describe('a call', () => {
  it('answers piece by piece, costs nothing, its tokens are estimated, and its session is ended', async () => {
    const { port, seen } = played({ says: ['one ', 'two'] });
    const pieces: string[] = [];
    const reply = await port.generate(request({ system: 'Be short.', onText: (piece) => pieces.push(piece) }));
    expect(pieces).toEqual(['one ', 'two']);
    expect(reply).toMatchObject({
      text: 'one two',
      finish: 'stop',
      model: 'browser:built-in',
      usage: { estimated: true, usd: 0 },
    });
    expect(seen.created).toEqual([{ initialPrompts: [{ role: 'system', content: 'Be short.' }] }]);
    expect(seen.prompted).toEqual([{ input: [{ role: 'user', content: 'Say ok.' }] }]);
    expect(seen.destroyed).toBe(1);
  });

  it('with a schema, a temperature and a repair round: all of it goes along', async () => {
    const { port, seen } = played({ says: ['{"score": 1}'] });
    const schema = { type: 'object', required: ['score'] };
    await port.generate(
      request({
        schema,
        temperature: 5,
        messages: [
          { role: 'user', content: 'Grade it.' },
          { role: 'assistant', content: 'Fine.' },
          { role: 'user', content: 'That is no JSON.' },
        ],
      }),
    );
    expect(seen.created).toMatchObject([
      {
        temperature: 2,
        topK: 3,
        initialPrompts: [
          { role: 'user', content: 'Grade it.' },
          { role: 'assistant', content: 'Fine.' },
        ],
      },
    ]);
    expect(seen.prompted).toEqual([
      { input: [{ role: 'user', content: 'That is no JSON.' }], responseConstraint: schema },
    ]);
  });

  const files = [{ name: 'a.png', mediaType: 'image/png', bytes: Uint8Array.from([1, 2]) }];
  const picture: Partial<ModelRequest> = { messages: [{ role: 'user', content: 'What is it?', files }] };

  it('a picture: goes along, where the model takes one', async () => {
    const { port, seen } = played();
    await port.generate(request(picture));
    expect(seen.created).toEqual([{ expectedInputs: [{ type: 'text' }, { type: 'image' }] }]);
    expect(seen.prompted).toMatchObject([
      { input: [{ role: 'user', content: [{ type: 'image' }, { type: 'text', value: 'What is it?' }] }] },
    ]);
  });

  it('a picture for a model that takes none: said so', async () => {
    await expect(played({ blind: true }).port.generate(request(picture))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('takes no pictures'),
    });
  });

  it('stopped: the reason of the abort, and its session is ended', async () => {
    const { port, seen } = played({ hangs: true });
    const controller = new AbortController();
    const call = port.generate(request({ signal: controller.signal, onText: () => controller.abort() }));
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen.destroyed).toBe(1);
  });
});

describe('what is in the way', () => {
  it.each([
    ['it does not run here', { state: 'unavailable' }, 'bad_request', /does not run on this computer/],
    ['it is not loaded', { state: 'downloadable' }, 'provider_unavailable', /press Download .* Settings, Models/],
    ['it is being loaded', { state: 'downloading' }, 'provider_unavailable', /still being downloaded/],
    ['a prompt that is too long', { fails: named('QuotaExceededError') }, 'bad_request', /longer than .* can read/],
    ['an answer that is kept back', { fails: named('NotReadableError') }, 'content_blocked', /change the text/],
    ['a policy', { fails: named('NotAllowedError') }, 'bad_request', /does not allow/],
    ['a schema that it does not know', { fails: named('NotSupportedError') }, 'bad_request', /cannot do this/],
    ['anything else', { fails: named('UnknownError') }, 'provider_unavailable', /failed \(UnknownError\): try again/],
  ] as [string, Played, string, RegExp][])('%s', async (_name, play, code, says) => {
    const error = await played(play)
      .port.generate(request())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
  });

  it('a browser without one: not configured, and said so', async () => {
    expect(await without.configured(undefined)).toBe(false);
    await expect(without.generate(request())).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('no built-in model'),
    });
    expect(await played().port.configured(undefined)).toBe(true);
  });

  it('tools: it calls none', async () => {
    const tools = [{ name: 'look', description: '', inputSchema: { type: 'object' } }];
    await expect(played().port.generate(request({ tools }))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('calls no tools'),
    });
  });
});

function named(name: string): Error {
  return Object.assign(new Error(name), { name });
}
