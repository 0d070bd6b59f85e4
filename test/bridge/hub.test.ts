import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { LinkCall } from '../../src/adapters/link/connect.ts';
import { caller, codeOf, ORIGIN, Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.make();
});
afterEach(() => rig.close());

const call = (instance: string, method: string, more: object = {}) => ({
  instance,
  caller: caller(),
  method,
  params: {},
  again: 'send' as const,
  ...more,
});

describe('pairing', () => {
  it('makes a key from a code, and the key links from then on', async () => {
    await rig.startHub();
    const { instance, key, link } = await rig.browser({ label: 'Work' });
    expect(rig.hub?.browsers).toMatchObject([{ label: 'Work', linked: true, version: '1.2.3' }]);
    link.close();
    await expect.poll(() => rig.hub?.browsers[0]?.linked).toBe(false);
    await rig.browser({ instance: instance.instance, key });
    expect(rig.hub?.browsers).toMatchObject([{ linked: true }]);
  });

  it('survives the hub: the next one knows the browser', async () => {
    await rig.startHub();
    const { instance, key } = await rig.browser({});
    await rig.hub?.stop();
    await rig.startHub();
    expect(rig.hub?.browsers).toMatchObject([{ linked: false }]);
    await rig.browser({ instance: instance.instance, key });
    expect(rig.hub?.browsers).toMatchObject([{ linked: true }]);
  });

  it('keeps its keys from other users', async () => {
    await rig.startHub();
    await rig.browser({});
    expect((await stat(rig.home.pairings)).mode & 0o777).toBe(0o600);
    expect((await stat(rig.home.socket)).mode & 0o777).toBe(0o600);
    expect((await stat(rig.home.run)).mode & 0o777).toBe(0o700);
  });

  it('takes a code once, and none that is wrong', async () => {
    await rig.startHub();
    const instance = { instance: randomUUID(), browser: 'chromium' as const, label: 'x', version: '1' };
    expect(await rig.connect(instance, { code: '0000-0000-0000' })).toMatchObject({ reason: 'refused' });
    const code = await rig.code();
    expect(await rig.connect(instance, { code: '0000-0000-0000' })).toEqual({ reason: 'not_ours' });
    expect(await rig.connect(instance, { code })).toHaveProperty('key');
    expect(await rig.connect(instance, { code })).toMatchObject({ reason: 'refused' });
  });

  it('is taken back from either side', async () => {
    await rig.startHub();
    const told: boolean[] = [];
    const { instance, key } = await rig.browser({ closed: (unpaired) => told.push(unpaired) });
    await rig.front().unpair(instance.instance);
    await expect.poll(() => told).toEqual([true]);
    expect(await rig.connect(instance, { key })).toEqual({ reason: 'unpaired' });
    const again = await rig.browser({ instance: instance.instance });
    again.link.unpair();
    await expect.poll(() => rig.hub?.browsers).toEqual([]);
  });
});

describe('who may link', () => {
  it.each([
    ['no origin', undefined],
    ['a page', 'https://example.com'],
    ['null', 'null'],
    ['a page that looks like this machine', 'http://127.0.0.1.evil.test'],
    ['an extension’s id with more behind it', `${ORIGIN}.evil.test`],
    ['upper case', ORIGIN.toUpperCase()],
    ['an id that is too short', 'chrome-extension://abc'],
  ])('refuses %s before anything is said', async (_, origin) => {
    await rig.startHub();
    const { link } = await rig.browser({});
    expect(await handshake({ origin })).toBe(403);
    expect(rig.hub?.browsers).toMatchObject([{ linked: true }]);
    link.changed([]);
  });

  it.each(['evil.test', '127.0.0.1.evil.test', 'localhost.evil.test'])('refuses the host %s', async (name) => {
    await rig.startHub();
    expect(await handshake({ origin: ORIGIN, host: `${name}:${rig.hub?.port}` })).toBe(403);
    expect(await handshake({ origin: ORIGIN, host: '127.0.0.1:1' })).toBe(403);
  });

  it('answers a page’s fetch with nothing that it could read', async () => {
    await rig.startHub();
    for (const path of ['/', '/link', '/mcp']) {
      const { status, headers } = await get(path, { origin: 'https://example.com' });
      expect(status).toBe(403);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('gives a link to who has the key, and to nobody who only has the name', async () => {
    await rig.startHub();
    const { instance } = await rig.browser({ answer: async () => 'mine' });
    const wrong = 'ab'.repeat(32);
    expect(await rig.connect(instance, { key: wrong })).toEqual({ reason: 'not_ours' });
    const other = `chrome-extension://${'ponmlkjihgfedcba'.repeat(2)}`;
    expect(await rig.connect(instance, { key: wrong }, { origin: other })).toEqual({ reason: 'unpaired' });
    expect(await codeOf(rig.front().call(call(instance.instance, 'x')))).toBe('done: "mine"');
  });

  it('ends what sends nonsense, too much, or nothing, and no other link', async () => {
    await rig.startHub();
    const { instance } = await rig.browser({ answer: async () => 'mine' });
    const url = `ws://127.0.0.1:${rig.hub?.port}/link`;
    for (const text of ['', '{', '[]', '{"t":"result","id":"h1","value":1}', 'x'.repeat(10 * 1024 * 1024)]) {
      const socket = new WebSocket(url, { origin: ORIGIN });
      socket.on('error', () => undefined);
      socket.on('open', () => socket.send(text));
      await new Promise((resolve) => socket.on('close', resolve));
    }
    const silent = new WebSocket(url, { origin: ORIGIN });
    await new Promise((resolve) => silent.on('close', resolve));
    expect(await codeOf(rig.front().call(call(instance.instance, 'x')))).toBe('done: "mine"');
  });

  it('shuts out an origin that keeps failing to prove itself, for a while', async () => {
    await rig.startHub();
    const { instance } = await rig.browser({});
    const other = `chrome-extension://${'ponmlkjihgfedcba'.repeat(2)}`;
    // It cannot check our proof, so it sends one of its own making.
    for (let tries = 0; tries < 5; tries++) {
      await rig.code();
      const socket = new WebSocket(`ws://127.0.0.1:${rig.hub?.port}/link`, { origin: other });
      const hello = { t: 'hello', v: 1, ...instance, nonce: 'cd'.repeat(32), pairing: true };
      socket.on('open', () => socket.send(JSON.stringify(hello)));
      socket.on('message', () => socket.send(JSON.stringify({ t: 'proof', mac: 'ef'.repeat(32) })));
      await new Promise((resolve) => socket.on('close', resolve));
    }
    expect(await handshake({ origin: other })).toBe(403);
    expect(await handshake({ origin: ORIGIN })).toBe(101);
  });

  function handshake(headers: { origin?: string | undefined; host?: string }): Promise<number> {
    const { origin, host } = headers;
    return get('/link', {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      ...(origin === undefined ? {} : { origin }),
      ...(host === undefined ? {} : { host }),
    }).then(({ status }) => status);
  }

  function get(path: string, headers: Record<string, string>) {
    return new Promise<{ status: number; headers: object }>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: rig.hub?.port, path, headers });
      asked.on('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      });
      asked.on('upgrade', (response, socket) => {
        socket.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      });
      asked.on('error', reject);
      asked.end();
    });
  }
});

describe('ports', () => {
  it('takes the next candidate, and leaves the program that has the first alone', async () => {
    const visits: number[] = [];
    const other = createServer((socket) => {
      visits.push(1);
      socket.destroy();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await rig.startHub([port, 0]);
    expect(rig.hub?.port).not.toBe(port);
    expect(rig.hub?.port).toBeGreaterThan(0);
    expect(visits).toEqual([]);
    expect(other.listening).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });

  it('says that none is free, and serves its front ends all the same', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await rig.startHub([port]);
    expect((await rig.front().status()).port).toBe(0);
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('calls', () => {
  it('reach the browser that is named, and each answer its own front end', async () => {
    await rig.startHub();
    const say = (label: string) => async (one: LinkCall) => {
      // Answers come in another order than the calls.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return { label, said: one.params };
    };
    const linked: Awaited<ReturnType<Rig['browser']>>[] = [];
    for (const label of ['A', 'B', 'C']) linked.push(await rig.browser({ label, answer: say(label) }));
    const fronts = [1, 2, 3, 4, 5].map(() => rig.front());
    const asked = fronts.flatMap((front, f) =>
      linked.flatMap(({ instance }) =>
        [0, 1, 2, 3, 4].map(async (n) => ({
          wanted: { label: instance.label, said: `${f}.${n}` },
          got: await front.call(call(instance.instance, 'echo', { params: `${f}.${n}` })),
        })),
      ),
    );
    for (const { wanted, got } of await Promise.all(asked)) expect(got).toEqual(wanted);
  });

  it('tell progress and can be taken back', async () => {
    await rig.startHub();
    let aborted = false;
    const { instance } = await rig.browser({
      answer: ({ progress, signal }) =>
        new Promise((resolve) => {
          progress({ step: 1 });
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve(null);
          });
        }),
    });
    const controller = new AbortController();
    const heard: unknown[] = [];
    const asked = rig.front().call(
      call(instance.instance, 'long', {
        signal: controller.signal,
        progress: (one: unknown) => {
          heard.push(one);
          controller.abort();
        },
      }),
    );
    expect(await codeOf(asked)).toBe('cancelled');
    expect(heard).toEqual([{ step: 1 }]);
    await expect.poll(() => aborted).toBe(true);
  });

  it('wait for a browser that is away for a moment, and say so when it stays away', async () => {
    await rig.startHub();
    const { instance, key, link } = await rig.browser({});
    link.close();
    await expect.poll(() => rig.hub?.browsers[0]?.linked).toBe(false);
    expect(await codeOf(rig.front().call(call(instance.instance, 'x', { patience: 30 })))).toBe('browser_away');
    const asked = rig.front().call(call(instance.instance, 'x', { patience: 20_000 }));
    await rig.browser({ instance: instance.instance, key, answer: async () => 'back' });
    expect(await asked).toBe('back');
    expect(await codeOf(rig.front().call(call(randomUUID(), 'x')))).toBe('browser_unknown');
  });

  it.each(['link', 'hub'] as const)('a read whose %s breaks is asked again', async (what) => {
    await rig.startHub();
    let times = 0;
    const seen: string[] = [];
    const { instance, key, link } = await rig.browser({
      answer: async ({ key: id }) => {
        seen.push(id);
        times += 1;
        if (times === 1) await breakIt();
        return 'answer';
      },
    });
    const again = () =>
      rig.browser({
        instance: instance.instance,
        key,
        answer: async ({ key: id }) => {
          seen.push(id);
          return 'answer';
        },
      });
    const breakIt = async () => {
      if (what === 'link') link.close();
      else {
        await rig.hub?.stop();
        await rig.startHub();
      }
      await again();
    };
    // The new hub is the one that the test starts.
    const front = rig.front({ start: async () => undefined });
    expect(await front.call(call(instance.instance, 'x'))).toBe('answer');
    expect(new Set(seen).size).toBe(1);
    expect(seen).toHaveLength(2);
  });

  it.each([
    ['done', { state: 'done', value: 'clicked' }, 'done: "clicked"'],
    ['failed', { state: 'failed', error: { code: 'element_not_found', message: 'x' } }, 'element_not_found'],
    ['unknown', { state: 'unknown' }, 'outcome_unknown'],
    ['never', { state: 'never' }, 'done: "done now"'],
  ])('an act whose link breaks is asked for, not sent again: %s', async (_, outcome, wanted) => {
    await rig.startHub();
    const acts: string[] = [];
    const { instance, key, link } = await rig.browser({
      answer: async ({ method, key: id }) => {
        acts.push(method);
        link.close();
        await rig.browser({
          instance: instance.instance,
          key,
          answer: async (later) => {
            acts.push(later.method);
            if (later.method === 'outcome') return { ...outcome, ...(later.params as object), asked: id };
            return 'done now';
          },
        });
        return null;
      },
    });
    expect(await codeOf(rig.front().call(call(instance.instance, 'act', { again: 'ask' })))).toBe(wanted);
    expect(acts).toEqual(outcome.state === 'never' ? ['act', 'outcome', 'act'] : ['act', 'outcome']);
  });

  it('of several megabytes go both ways; what is larger is refused, and the link stays', async () => {
    await rig.startHub();
    const { instance } = await rig.browser({
      answer: async ({ params }) => (params === 'much' ? 'y'.repeat(9 * 1024 * 1024) : params),
    });
    const front = rig.front();
    const large = 'ü'.repeat(3 * 1024 * 1024);
    expect(await front.call(call(instance.instance, 'echo', { params: large }))).toBe(large);
    expect(await codeOf(front.call(call(instance.instance, 'echo', { params: 'much' })))).toBe('output_too_large');
    expect(await front.call(call(instance.instance, 'echo', { params: 1 }))).toBe(1);
  });
});

describe('the hub', () => {
  it('is one, however many start at once', async () => {
    const hubs = await Promise.all(Array.from({ length: 8 }, () => rig.startHub()));
    expect(hubs.filter((hub) => hub !== undefined)).toHaveLength(1);
  });

  it('takes the place of one that died and left its socket', async () => {
    await rig.startHub();
    await rig.hub?.stop();
    const { writeFile } = await import('node:fs/promises');
    await writeFile(rig.home.socket, '');
    expect(await rig.startHub()).toBeDefined();
    expect((await rig.front().status()).fronts).toBe(1);
  });

  it('is started by a front end, and again when it goes', async () => {
    const front = rig.front();
    expect((await front.status()).fronts).toBe(1);
    await rig.hub?.stop();
    expect((await front.status()).fronts).toBe(1);
    expect(rig.started).toBeGreaterThanOrEqual(2);
  });

  it('lets go of a front end that sends nonsense, and of no other', async () => {
    await rig.startHub();
    const good = rig.front();
    await good.list();
    const { connect } = await import('node:net');
    const bad = connect(rig.home.socket);
    bad.resume();
    bad.write('{"t":"call","method":"x"}\n');
    await new Promise((resolve) => bad.on('close', resolve));
    expect((await good.status()).fronts).toBe(1);
  });
});
