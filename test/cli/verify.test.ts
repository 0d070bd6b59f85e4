import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { backgroundOf } from '../../src/cli/run/background.ts';
import { saveExport } from '../../src/cli/run/files.ts';
import { eventHash } from '../../src/model/events.ts';
import { exportRun, type RunExport, verifyExport } from '../../src/model/run-export.ts';
import { TOKENS } from '../engine/secrets/tokens.ts';
import { type Outside, value, World, workflow } from '../support/engine.ts';

const SECRET = TOKENS.github_token as string;
const LONG = 'long '.repeat(4000);
let folder = '';
let whole: RunExport;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabloom-verify-'));
  const outside: Outside = () => ({ text: LONG, token: SECRET });
  const world = new World({ outside });
  const read = { id: 'read', type: 'browser_action', action: 'snapshot' };
  await world.start(workflow([read, value('a', 1), value('b', '{{step.read}}')], { secretPolicy: 'redact' }));
  await world.run();
  const { store, runId } = world;
  whole = await exportRun(runId, await store.events(runId), (hash) => store.blob(hash));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const changed = (change: (copy: RunExport) => void): RunExport => {
  const copy = structuredClone(whole);
  change(copy);
  return copy;
};

/** What `tabloom verify` says to a file. */
async function verify(text: string, ...more: string[]) {
  const file = join(folder, 'export.json');
  writeFileSync(file, text);
  return call('verify', file, ...more);
}

async function call(...args: string[]) {
  const said = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    said.out += String(part);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((part) => {
    said.err += String(part);
    return true;
  });
  const status = await main(args);
  vi.restoreAllMocks();
  return { status, ...said };
}

describe('an exported run', () => {
  it('holds every event, with its large values beside it, and nothing that looks like a secret', async () => {
    expect(whole.events.length).toBeGreaterThan(5);
    expect(Object.values(whole.values).some((text) => text.includes('long long'))).toBe(true);
    expect(JSON.stringify(whole)).not.toContain(SECRET);
    expect(verifyExport(whole)).toEqual({ runId: whole.runId, events: whole.events.length });
  });

  it('is checked by the command: 0, and how many events hold', async () => {
    const { status, out } = await verify(JSON.stringify(whole));
    expect([status, out]).toEqual([0, expect.stringContaining(`all ${whole.events.length} events`)]);
    expect(JSON.parse((await verify(JSON.stringify(whole), '--json')).out)).toMatchObject({ valid: true });
  });

  it.each<[string, number, (copy: RunExport) => void]>([
    ['an event that was changed', 3, ({ events }) => Object.assign(events[2]?.data ?? {}, { output: 'better' })],
    ['an event that got another time', 2, ({ events }) => Object.assign(events[1] as object, { at: 5 })],
    ['an event that got a key more', 2, ({ events }) => Object.assign(events[1]?.data ?? {}, { note: 'x' })],
    ['an event that was left out', 4, ({ events }) => void events.splice(2, 1)],
    ['events in another order', 3, ({ events }) => void events.splice(1, 2, ...events.slice(1, 3).reverse())],
    [
      'an event that was changed and given its new hash',
      3,
      ({ events }) => {
        const event = events[1] as RunExport['events'][number];
        event.at += 1;
        event.hash = eventHash(event);
      },
    ],
    ['an event of another run', 2, ({ events }) => Object.assign(events[1] as object, { runId: 'other' })],
  ])('%s: the first broken event is named', async (_, seq, change) => {
    const { status, err } = await verify(JSON.stringify(changed(change)));
    expect([status, err]).toEqual([1, expect.stringMatching(new RegExp(`event ${seq}: .+\\.\\n$`))]);
    const json = JSON.parse((await verify(JSON.stringify(changed(change)), '--json')).out) as object;
    expect(json).toMatchObject({ valid: false, seq });
  });

  it('a file that ends too early, and a value that was changed or left out', () => {
    const cut = changed(({ events }) => void events.pop());
    expect(verifyExport(cut)).toMatchObject({ seq: whole.events.length });
    const [hash = ''] = Object.keys(whole.values);
    expect(verifyExport(changed(({ values }) => Object.assign(values, { [hash]: '"other"' })))).toMatchObject({
      broken: expect.stringContaining('changed'),
    });
    expect(verifyExport(changed(({ values }) => void delete values[hash]))).toMatchObject({
      broken: expect.stringContaining('not in the file'),
    });
  });

  it.each([
    ['no JSON', 'hello'],
    ['another file', '{"format":"tabloom/v1"}'],
    ['a list', '[]'],
    ['no events', '{"format":"tabloom-run/v1","runId":"r","head":{"seq":0,"hash":""},"events":[],"values":{}}'],
  ])('%s: one sentence that says what to do', async (_, text) => {
    const { status, err } = await verify(text);
    expect([status, err]).toEqual([1, expect.stringMatching(/^[^\n]*(export|Give)[^\n]*\.\n$/)]);
  });

  it('a file that is not there, none, and two', async () => {
    expect(await call('verify', join(folder, 'none.json'))).toMatchObject({
      status: 1,
      err: expect.stringContaining('can be read'),
    });
    for (const args of [[], ['a', 'b']])
      expect(await call('verify', ...args)).toMatchObject({ status: 1, err: expect.stringContaining('Name one') });
  });

  it('is written by tabloom run --export, and a place that cannot be written to is said', async () => {
    const background = backgroundOf({
      sendMessage: async <T>(message: unknown) => {
        const { name, payload } = message as { name: string; payload: { hash: string } };
        const value = name === 'run.events' ? { events: whole.events } : { text: whole.values[payload.hash] };
        return { ok: true, value } as T;
      },
    });
    const said: string[] = [];
    const io = { say: (text?: string) => void said.push(text ?? ''), complain: (text: string) => void said.push(text) };
    const file = join(folder, 'written.json');
    expect(await saveExport(background, whole.runId, file, io)).toBe(true);
    expect(verifyExport(JSON.parse(readFileSync(file, 'utf8')))).toMatchObject({ events: whole.events.length });
    expect(await saveExport(background, whole.runId, join(folder, 'no', 'such', 'x.json'), io)).toBe(false);
    expect(said.at(-1)).toContain('--export');
  });
});

describe('schema and verify', () => {
  it('have a help of their own', async () => {
    for (const name of ['schema', 'verify'])
      expect(await call(name, '--help')).toMatchObject({ status: 0, out: expect.stringContaining(`tabloom ${name}`) });
  });

  it('schema prints JSON, and takes no file', async () => {
    expect(JSON.parse((await call('schema')).out)).toMatchObject({ $schema: expect.stringContaining('2020-12') });
    expect(await call('schema', 'x')).toMatchObject({ status: 1, err: expect.stringContaining('Give no file') });
  });
});
