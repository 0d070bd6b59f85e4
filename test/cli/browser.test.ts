import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CdpConnection } from '../../src/cli/browser/cdp.ts';
import { hasDisplay } from '../../src/cli/browser/display.ts';
import { EXTENSION_ID, EXTENSION_KEY } from '../../src/cli/browser/extension-id.ts';
import { ChromiumMissingError, findChromium } from '../../src/cli/browser/find.ts';
import { originPattern } from '../../src/cli/browser/grants.ts';

it('the id is the one that Chromium derives from the key', () => {
  const hash = createHash('sha256').update(Buffer.from(EXTENSION_KEY, 'base64')).digest('hex').slice(0, 32);
  const letters = [...hash].map((digit) => String.fromCharCode('a'.charCodeAt(0) + Number.parseInt(digit, 16)));
  expect(letters.join('')).toBe(EXTENSION_ID);
});

it.each([
  ['linux', {}, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['darwin', {}, true],
])('on %s with %o a window can be shown: %s', (platform, env, answer) => {
  expect(hasDisplay(env, platform)).toBe(answer);
});

it.each([
  ['https://example.com', 'https://example.com/*'],
  ['https://example.com/a/path?q', 'https://example.com/*'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/*'],
  ['https://*.example.com/*', 'https://*.example.com/*'],
  ['<all_urls>', '<all_urls>'],
])('the site %s becomes the pattern %s', (origin, pattern) => {
  expect(originPattern(origin)).toBe(pattern);
});

describe('finding Chromium', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tabloom-find-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function program(...path: string[]): Promise<string> {
    const file = join(folder, ...path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, '');
    await chmod(file, 0o755);
    return file;
  }

  it('takes what TABLOOM_CHROMIUM names before anything else', async () => {
    const named = await program('my-chromium');
    expect(findChromium({ TABLOOM_CHROMIUM: named })?.path).toBe(named);
  });

  it('says so when TABLOOM_CHROMIUM names no program, and takes nothing else instead', () => {
    const find = () => findChromium({ TABLOOM_CHROMIUM: join(folder, 'nothing') });
    expect(find).toThrow(ChromiumMissingError);
    expect(find).toThrow(/which is no program that can be run/);
  });
});

describe('the CDP connection', () => {
  let sent: PassThrough;
  let received: PassThrough;
  let cdp: CdpConnection;
  beforeEach(() => {
    sent = new PassThrough();
    received = new PassThrough();
    cdp = new CdpConnection(sent, received);
  });

  const answer = (message: object) => received.write(`${JSON.stringify(message)}\0`);

  it('puts together an answer that comes in pieces, in the middle of a character too', async () => {
    const call = cdp.send('A.b');
    const bytes = Buffer.from(`${JSON.stringify({ id: 1, result: { text: 'süß' } })}\0`);
    for (const byte of bytes) received.write(Buffer.from([byte]));
    expect(await call).toEqual({ text: 'süß' });
  });

  it('tells apart answers that come in one piece and in another order', async () => {
    const calls = [cdp.send('A.b'), cdp.send('A.c')];
    received.write(
      `${JSON.stringify({ id: 2, result: { n: 2 } })}\0${JSON.stringify({ id: 1, error: { message: 'no' } })}\0`,
    );
    await expect(calls[0]).rejects.toMatchObject({ failure: 'protocol', message: 'A.b: no' });
    expect(await calls[1]).toEqual({ n: 2 });
  });

  it('gives up on a call that is not answered, and ignores the answer that comes late', async () => {
    await expect(cdp.send('A.b', {}, 10)).rejects.toMatchObject({ failure: 'timeout', method: 'A.b' });
    answer({ id: 1, result: {} });
    const next = cdp.send('A.c');
    answer({ id: 2, result: { n: 2 } });
    expect(await next).toEqual({ n: 2 });
  });

  it('fails all open calls when the browser goes, and every later one', async () => {
    const open = cdp.send('A.b');
    received.destroy();
    await expect(open).rejects.toMatchObject({ failure: 'closed' });
    await expect(cdp.send('A.c')).rejects.toMatchObject({ failure: 'closed' });
    expect(cdp.closed).toBe(true);
  });

  it('delivers events to those who listen, per session, until they stop', async () => {
    const heard: string[] = [];
    const stop = cdp.on('Page.x', () => heard.push('browser'));
    cdp.onKey('Page.x', () => heard.push('session'), 's1');
    answer({ method: 'Page.x', params: {} });
    answer({ method: 'Page.x', params: {}, sessionId: 's1' });
    await new Promise(setImmediate);
    stop();
    answer({ method: 'Page.x', params: {} });
    await new Promise(setImmediate);
    expect(heard).toEqual(['browser', 'session']);
  });
});
