import { describe, expect, it } from 'vitest';
import type { Driver } from '../../../src/adapters/browser/acting.ts';
import type { PageBrowser } from '../../../src/adapters/browser/browser-api.ts';
import { frameAddress, groupByFrame, matchFrame } from '../../../src/adapters/browser/frame-targets.ts';
import { Gate } from '../../../src/adapters/browser/gate.ts';
import { Leases } from '../../../src/adapters/browser/leases.ts';
import { maskSecrets } from '../../../src/adapters/browser/masks.ts';
import { namedGrant } from '../../../src/adapters/browser/named-grant.ts';
import { addTab, closeTab, mergeTabs, pickTab } from '../../../src/adapters/browser/run-tabs.ts';
import { fillSecrets } from '../../../src/adapters/browser/secrets.ts';
import { addressFits } from '../../../src/adapters/browser/wait.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { RunTabs } from '../../../src/model/run.ts';
import type { PageCall } from '../../../src/ports/pages.ts';
import type { SecretVault } from '../../../src/ports/store.ts';

const none: RunTabs = { list: [], next: 1 };
const known = { session: 's', url: 'https://a.example/', title: '' };
const code = (expected: string) => expect.objectContaining({ info: expect.objectContaining({ code: expected }) });

describe('tabs of a run', () => {
  it('ids count up and are not used again; the first tab is current', () => {
    let { tabs } = addTab(none, { ...known, browserTabId: 7 }, false);
    expect(tabs.current).toBe('t1');
    tabs = closeTab(tabs, 't1', 'run');
    expect(tabs.current).toBeUndefined();
    ({ tabs } = addTab(tabs, { ...known, browserTabId: 8 }, true));
    expect(tabs).toMatchObject({ current: 't2', next: 3 });
    expect(() => pickTab(tabs, 't1')).toThrowError(code('tab_closed'));
    expect(() => pickTab(tabs, 't9')).toThrowError(code('input_invalid'));
  });

  it('the person closed the current tab: it stays current, so that the next action says so', () => {
    let { tabs } = addTab(none, { ...known, browserTabId: 7 }, true);
    ({ tabs } = addTab(tabs, { ...known, browserTabId: 8 }, true));
    tabs = closeTab(tabs, 't2', 'person');
    expect(() => pickTab(tabs, undefined)).toThrowError(code('tab_closed'));
  });

  it('two views of the tabs: what is known here wins, what only the other knows is added', () => {
    const one = addTab(none, { ...known, browserTabId: 7 }, true).tabs;
    const two = addTab(one, { ...known, browserTabId: 8 }, true).tabs;
    expect(mergeTabs(two, one)).toEqual(two);
    expect(mergeTabs(undefined, one)).toEqual(one);
    expect(mergeTabs(none, two)).toMatchObject({ list: two.list, next: 3, current: 't2' });
  });

  it('a leased tab is refused to another run until it is released', () => {
    const leases = new Leases();
    leases.take('a', 7);
    leases.take('a', 7);
    expect(() => leases.take('b', 7)).toThrowError(code('operation_failed'));
    leases.dropAll('a');
    leases.take('b', 7);
  });

  it('a lease at the start of a run takes only open tabs of this life of the browser, and none of another run', () => {
    const leases = new Leases();
    leases.take('other', 9);
    const list = [
      { ...known, tab: 't1', browserTabId: 7 },
      { ...known, tab: 't2', browserTabId: 8, session: 'before' },
      { ...known, tab: 't3', browserTabId: 9 },
      { ...known, tab: 't4', browserTabId: 10, closed: 'run' as const },
    ];
    leases.takeAll('a', { list, next: 5 }, 's');
    expect([7, 8, 9, 10].map((id) => leases.owner(id))).toEqual(['a', undefined, 'other', undefined]);
  });
});

describe('the gate', () => {
  const granting = (...origins: string[]): Gate =>
    new Gate({
      permissions: {
        contains: async (what: { origins: string[] }) => what.origins.every((one) => origins.includes(one)),
      },
    } as unknown as PageBrowser);
  const sites = ['https://*.a.example/app/*'];

  it('lets through what the sites and the grant allow', async () => {
    await expect(granting('https://x.a.example/*').check('https://x.a.example/app/1', { sites })).resolves.toBe(
      'https://x.a.example',
    );
  });

  it.each([
    ['chrome://settings', 'site_not_allowed'],
    ['file:///etc/passwd', 'site_not_allowed'],
    ['about:blank', 'site_not_allowed'],
    ['https://x.a.example/other', 'site_not_allowed'],
    ['https://a.example.evil.test/app/', 'site_not_allowed'],
    ['https://y.a.example/app/', 'permission_denied'],
  ])('%s: %s', async (url, expected) => {
    await expect(granting('https://x.a.example/*').check(url, { sites })).rejects.toThrowError(code(expected));
  });

  it('a page of the local network under a pattern for any host: refused, and it is said how to name it', async () => {
    const everything = { sites: ['http://*/*'] };
    const gate = granting('http://192.168.1.1/*');
    await expect(gate.check('http://192.168.1.1/', everything)).rejects.toMatchObject({
      info: { code: 'site_not_allowed', details: { origin: 'http://192.168.1.1', reason: 'local_network' } },
    });
    const named = { sites: ['http://192.168.1.1/*'] };
    await expect(gate.check('http://192.168.1.1/', named)).resolves.toBe('http://192.168.1.1');
  });

  it('an approved act at another origin is a mismatch', async () => {
    const rules = { sites, approvedOrigin: 'https://y.a.example' };
    await expect(granting('https://x.a.example/*').check('https://x.a.example/app/1', rules)).rejects.toThrowError(
      code('approval_mismatch'),
    );
  });

  it('a browser without ports in patterns: the host is asked for; a grant of one port is none of another', async () => {
    await expect(granting('http://a.example/*').granted('http://a.example:8080')).resolves.toBe(true);
    await expect(granting('http://a.example:8080/*').granted('http://a.example:8081')).resolves.toBe(false);
  });

  it('a page whose address is hidden: the missing grant is named, or that it is none of the sites', async () => {
    const rules = { sites: ['https://a.example/*', 'https://b.example/*'] };
    const [some, all] = [granting('https://a.example/*'), granting('https://a.example/*', 'https://b.example/*')];
    expect(await some.hidden('https://a.example/', rules)).toMatchObject({
      info: { code: 'permission_denied', details: { origin: 'https://b.example' } },
    });
    expect(await granting().hidden('https://a.example/x', rules)).toMatchObject({
      info: { details: { origin: 'https://a.example' } },
    });
    expect(await all.hidden('https://a.example/', rules)).toMatchObject({ info: { code: 'site_not_allowed' } });
  });

  it.each([
    ['it went to a page of the browser', undefined, ['https://x.a.example/*'], 'site_not_allowed'],
    [
      'it went to a page that is none of the sites',
      'https://x.a.example/out',
      ['https://x.a.example/*'],
      'site_not_allowed',
    ],
    ['the grant is gone', undefined, [], 'permission_denied'],
    [
      'nothing is amiss with the page: as the browser said',
      'https://x.a.example/app/',
      ['https://x.a.example/*'],
      'as it was',
    ],
  ])('an act that the browser refused, and the tab looked at after it: %s', async (_, url, granted, expected) => {
    const refused = new TabloomError('permission_denied', 'As it was.', { acted: false });
    const tabs: RunTabs = {
      list: [{ ...known, url: 'https://x.a.example/app/1', tab: 't1', browserTabId: 7 }],
      current: 't1',
      next: 2,
    };
    const driver = { gate: granting(...granted), host: { tabs: () => tabs, look: async () => ({ id: 7, url }) } };
    const told = await namedGrant(
      driver as unknown as Driver,
      { sites: ['https://x.a.example/app/*'] } as PageCall,
      refused,
    );
    if (expected === 'as it was') expect(told).toBe(refused);
    else expect(told).toMatchObject({ info: { code: expected, acted: false } });
  });
});

describe('secrets', () => {
  const vault = {
    reveal: async (name: string) => (name === 'pin' ? '12' : name === 'key' ? 'a b/c"d' : undefined),
  } as SecretVault;

  it('are put at their place in a copy, between the text around them', async () => {
    const args = { url: 'x', list: [{ 'a/b': 'placeholder' }] };
    const filled = await fillSecrets(args, [{ pointer: '/list/0/a~1b', parts: ['<', { secret: 'key' }, '>'] }], vault);
    expect(filled).toEqual({ args: { url: 'x', list: [{ 'a/b': '<a b/c"d>' }] }, values: ['a b/c"d'] });
    expect(args.list[0]).toEqual({ 'a/b': 'placeholder' });
  });

  it('one that is not there: said by name', async () => {
    await expect(fillSecrets({ a: '' }, [{ pointer: '/a', parts: [{ secret: 'gone' }] }], vault)).rejects.toThrowError(
      code('template_unresolved'),
    );
  });

  it('of the product itself are filled in nowhere: the key of a model account belongs to its account', async () => {
    const all = { reveal: async () => 'sk-live' } as unknown as SecretVault;
    await expect(
      fillSecrets({ a: '' }, [{ pointer: '/a', parts: [{ secret: 'model:openai' }] }], all),
    ).rejects.toThrowError(code('template_unresolved'));
  });

  it('are masked at any depth, in keys, and as addresses write them; short ones only alone', () => {
    const out = { 'a b/c"d': ['say a b/c"d!', 'https://x/?k=a%20b%2Fc%22d', '12', 'in 2012'] };
    expect(maskSecrets(out, ['a b/c"d', '12'])).toEqual({
      '••••': ['say ••••!', 'https://x/?k=••••', '••••', 'in 2012'],
    });
  });
});

describe('frames', () => {
  it('alternatives are grouped by the frame they are in, from the outermost in', () => {
    const target: JsonObject[] = [
      { css: 'a' },
      { text: 'b' },
      { css: 'c', frame: { css: 'inner', frame: { css: 'outer' } } },
      { css: 'd' },
    ];
    expect(groupByFrame(target)).toEqual([
      { frames: [], targets: [{ css: 'a' }, { text: 'b' }], first: 0 },
      { frames: [{ css: 'outer' }, { css: 'inner' }], targets: [{ css: 'c' }], first: 2 },
      { frames: [], targets: [{ css: 'd' }], first: 3 },
    ]);
  });

  it('refs of snapshots say their frame, also of what a target is within or of a frame in it', () => {
    const target: Json = [
      { ref: 'f7e12' },
      { role: 'button', within: { ref: 'f7e3' } },
      { css: 'a', frame: { ref: 'f7e4' } },
      { ref: 'e5' },
    ];
    expect(groupByFrame(target)).toEqual([
      { frameId: 7, frames: [], targets: [{ ref: 'e12' }, { role: 'button', within: { ref: 'e3' } }], first: 0 },
      { frameId: 7, frames: [{ ref: 'e4' }], targets: [{ css: 'a' }], first: 2 },
      { frames: [], targets: [{ ref: 'e5' }], first: 3 },
    ]);
  });

  it('a frame is told by its place; two in shadow trees by their address', () => {
    const top = { origin: 'https://a.example', url: 'https://a.example/', path: [] };
    const frame = (frameId: number, url: string, ...path: (number | null)[]) => ({
      frameId,
      probe: { origin: 'https://a.example', url, path },
    });
    const all = [
      frame(0, top.url),
      frame(4, 'https://a.example/1', 0),
      frame(5, 'https://a.example/2', 0, 0),
      frame(6, 'https://a.example/3', null),
      frame(7, 'https://a.example/4', null),
    ];
    expect(matchFrame(all, top, { index: 0, src: '' }).frameId).toBe(4);
    expect(matchFrame(all, top, { index: null, src: 'https://a.example/4' }).frameId).toBe(7);
    expect(() => matchFrame(all, top, { index: 1, src: 'https://b.example/' })).toThrowError(code('permission_denied'));
    expect(() => matchFrame(all, top, { index: 1, src: 'https://a.example/' })).toThrowError(code('element_not_found'));
    // Where the browser gives its own number, that is what counts.
    expect(matchFrame(all, top, { index: 1, src: '', frameId: 4 }).frameId).toBe(4);
    expect(() => matchFrame(all, top, { index: 99, src: 'https://b.example/', frameId: 99 })).toThrowError(
      code('permission_denied'),
    );
  });

  it('a frame without an address of its own is checked by its origin; one of no origin by nothing that is allowed', () => {
    expect(frameAddress({ origin: 'https://a.example', url: 'about:srcdoc', path: [0] })).toBe('https://a.example/');
    expect(frameAddress({ origin: 'null', url: 'about:srcdoc', path: [0] })).toBe('about:srcdoc');
  });
});

describe('an address that is waited for', () => {
  it.each([
    ['https://a.example/done?x=1', '/done', true],
    ['https://a.example/done?x=1', '/gone', false],
    ['https://a.example/done?x=1', 'https://*/done*', true],
    ['https://a.example/done?x=1', 'https://*/done', false],
    ['https://a.example/ab', '*a*ab', true],
    ['aba', 'ab*ba', false],
  ])('%s by %s: %s', (url, wanted, expected) => {
    expect(addressFits(url, wanted)).toBe(expected);
  });
});
