import { describe, expect, it } from 'vitest';
import type { Sender } from '../../src/app/browser-api.ts';
import { messageSchemas } from '../../src/app/messages.ts';
import { createRouter } from '../../src/app/router.ts';
import { isOwnPage } from '../../src/app/sender.ts';
import { TabloomError } from '../../src/model/errors.ts';
import { BASE, ID, OWN } from './fake.ts';

const self = { id: ID, base: BASE };
const request = (name: string, payload: unknown = {}) => ({ tabloom: 1, name, payload });

function setUp(answer: () => Promise<unknown> = async () => 'done') {
  const asked: [string, unknown][] = [];
  const route = createRouter(self, (name, payload) => {
    asked.push([name, payload]);
    return answer();
  });
  return { route, asked };
}

describe('who may ask', () => {
  it.each<[string, Sender]>([
    ['the popup', { id: ID, url: `${BASE}popup.html`, origin: BASE.slice(0, -1) }],
    ['the app page in a tab', OWN],
    ['a page in a browser that gives no origin', { id: ID, url: `${BASE}sidepanel.html` }],
  ])('%s: taken', (_, sender) => expect(isOwnPage(sender, self)).toBe(true));

  it.each<[string, Sender | undefined]>([
    ['nobody', undefined],
    [
      'a content script in a web page',
      {
        id: ID,
        url: 'https://example.com/',
        origin: 'https://example.com',
        frameId: 0,
        tab: { id: 3, url: 'https://example.com/' },
      },
    ],
    [
      'a content script in a page whose address holds ours',
      { id: ID, url: `https://example.com/?${BASE}app.html`, frameId: 0 },
    ],
    ['another extension', { ...OWN, id: 'ponmlkjihgfedcbaponmlkjihgfedcba' }],
    ['another extension that names our address', { id: 'ponmlkjihgfedcbaponmlkjihgfedcba', url: OWN.url }],
    ['a page of an extension whose id begins with ours', { id: ID, url: `chrome-extension://${ID}x/app.html` }],
    ['our page in a frame', { ...OWN, frameId: 4 }],
    ['our page in a tab of a web page', { ...OWN, tab: { id: 3, url: 'https://example.com/' } }],
    ['a sandboxed page of ours', { ...OWN, origin: 'null' }],
    ['a sender without an address', { id: ID }],
  ])('%s: not taken', (_, sender) => expect(isOwnPage(sender, self)).toBe(false));

  it('a request of a content script: no answer, nothing done', () => {
    const { route, asked } = setUp();
    const sender: Sender = { id: ID, url: 'https://example.com/', frameId: 0, tab: { id: 3 } };
    expect(route(request('engine.stopAll', { lift: false }), sender)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('what may be asked', () => {
  it('a request: answered with what the handler gives', async () => {
    const { route, asked } = setUp();
    expect(await route(request('run.get', { runId: 'r1' }), OWN)).toEqual({ ok: true, value: 'done' });
    expect(asked).toEqual([['run.get', { runId: 'r1' }]]);
  });

  it.each([
    undefined,
    null,
    'state.get',
    42,
    [],
    {},
    { name: 'state.get', payload: {} },
    { tabloom: 2, name: 'state.get', payload: {} },
  ])('no message of ours (%j): left to others', (message) => expect(setUp().route(message, OWN)).toBeUndefined());

  it.each([
    ['an unknown name', request('run.destroy')],
    ['a name that every object has', request('constructor')],
    ['a name that is no text', { tabloom: 1, name: ['run.get'], payload: {} }],
    ['no payload', { tabloom: 1, name: 'run.get' }],
    ['a field of the wrong type', request('run.get', { runId: 1 })],
    ['a field too many', request('run.get', { runId: 'r1', force: true })],
    [
      'a decision without a hash',
      request('command.send', {
        commandId: 'c',
        surface: 'app',
        command: { type: 'decide', runId: 'r', path: 'a', decision: 'approved' },
      }),
    ],
    [
      'a command that is none',
      request('command.send', { commandId: 'c', surface: 'app', command: { type: 'approveAll', runId: 'r' } }),
    ],
    ['an input that is no object', request('run.start', { workflowId: 'w', input: [] })],
    [
      'a model address that is no web address',
      request('models.set', {
        settings: { accounts: [{ id: 'a', provider: 'openai', baseUrl: 'file:///etc', hasKey: false }], names: {} },
      }),
    ],
    ['a secret under a name with a slash', request('secrets.set', { name: 'a/b', value: 'x' })],
  ])('%s: bad_request, nothing done', async (_, message) => {
    const { route, asked } = setUp();
    expect(await route(message, OWN)).toMatchObject({ ok: false, error: { code: 'bad_request' } });
    expect(asked).toEqual([]);
  });

  it('a handler that fails with our error: its code and sentence', async () => {
    const { route } = setUp(() => Promise.reject(new TabloomError('workflow_missing', 'Import it first.')));
    expect(await route(request('state.get'), OWN)).toEqual({
      ok: false,
      error: { code: 'workflow_missing', message: 'Import it first.' },
    });
  });

  it('a handler that fails with anything else: internal', async () => {
    const { route } = setUp(() => Promise.reject(new RangeError('oh')));
    expect(await route(request('state.get'), OWN)).toEqual({
      ok: false,
      error: { code: 'internal', message: 'RangeError: oh' },
    });
  });

  it('every kind of command that the engine knows has a schema', () => {
    const commands = [
      { type: 'decide', runId: 'r', path: 'p', hash: 'a'.repeat(64), decision: 'rejected', comment: '' },
      { type: 'edit', runId: 'r', path: 'p', hash: 'a'.repeat(64), edits: { text: 'x' } },
      { type: 'pause', runId: 'r' },
      { type: 'resume', runId: 'r' },
      { type: 'cancel', runId: 'r' },
      { type: 'wake', runId: 'r', path: 'p' },
      { type: 'signal', runId: 'r', name: 's', payload: [null] },
      { type: 'retry', runId: 'r' },
      { type: 'recover', runId: 'r', path: 'p', decision: 'done', output: { a: 1 } },
      { type: 'raiseBudget', runId: 'r', tokens: 5 },
    ];
    for (const command of commands) {
      const payload = { commandId: 'c', surface: 'app', command };
      expect(messageSchemas['command.send'].parse(payload)).toEqual(payload);
    }
  });
});
