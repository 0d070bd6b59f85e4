import { describe, expect, it } from 'vitest';
import { MASK, maskSecrets } from '../../../src/adapters/browser/masks.ts';
import { isMasked } from '../../../src/adapters/browser/run-tabs.ts';
import { RunSecrets } from '../../../src/adapters/browser/secrets.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import type { SecretVault } from '../../../src/ports/store.ts';

const SECRET = `p&ss <w>rd"'/[ä]#1`;

describe('a secret that comes back', () => {
  const query = new URL(`http://h.example/?k=${SECRET}`).href;
  it.each<[string, string]>([
    ['as it is', `say ${SECRET}!`],
    ['as a script writes it into an address', `?k=${encodeURIComponent(SECRET)}`],
    ['with lower-case percent codes', `?k=${encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())}`],
    ['as a form sends it', `?${new URLSearchParams({ k: SECRET })}`],
    ['as the browser writes an address', query],
    ['in JSON', JSON.stringify({ k: SECRET })],
    [
      'in the text of HTML',
      `<p>${SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`,
    ],
    [
      'in an attribute of HTML',
      `<p title="${SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}">`,
    ],
    ['in base64', btoa(unescape(encodeURIComponent(SECRET)))],
    ['in base64 after a name of any length', btoa(unescape(encodeURIComponent(`u:${SECRET}`)))],
    ['in hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['in capitals, as a style sheet writes it', SECRET.toUpperCase()],
    ['in base64 after a longer one', btoa(unescape(encodeURIComponent(`us:${SECRET}:x`)))],
  ])('%s: masked', (_, text) => {
    const masked = maskSecrets({ text, list: [text] }, [SECRET]);
    expect(masked.text).toContain(MASK);
    for (const part of [SECRET, 'rd', 'RD', encodeURIComponent('<w>'), 'HNzIDx3', '3C773E'])
      expect(masked.text.replace('Zm9v', '')).not.toContain(part);
    expect(masked.list).toEqual([masked.text]);
  });

  it('a text that was cut in the middle of it: the part is masked too', () => {
    expect(maskSecrets(['the hunter-42-s…', 'hun…', 'the hunter-42-s'], ['hunter-42-secret'])).toEqual([
      'the ••••…',
      'hun…',
      'the hunter-42-s',
    ]);
  });

  it('as a page is read, with its white space in one and without what nobody sees: masked', () => {
    expect(maskSecrets(['a one two b', 'a one  two b'], ['one \u200b two'])).toEqual(['a •••• b', 'a one  two b']);
    expect(maskSecrets('pass word', ['pass  \u00ad word'])).toBe(MASK);
  });

  it('a short one: only where it stands alone; none: nothing is changed; bytes are left alone', () => {
    const bytes = new Uint8Array([49, 50]);
    const value = { a: '12', b: 'in 2012', bytes };
    expect(maskSecrets(value, ['12'])).toEqual({ a: MASK, b: 'in 2012', bytes });
    expect(maskSecrets(value, [])).toBe(value);
    expect(maskSecrets(value, [''])).toBe(value);
  });
});

describe('what a run has seen of secrets', () => {
  const stored = new Map([['a', 'value-a']]);
  const vault = { reveal: async (name: string) => stored.get(name) } as SecretVault;

  it('stays masked after it was changed, until the run is released; another run has its own', async () => {
    const secrets = new RunSecrets(vault);
    await secrets.values('run', ['a', 'gone']);
    stored.set('a', 'value-b');
    expect([...(await secrets.values('run', ['a']))]).toEqual(['value-a', 'value-b']);
    expect([...(await secrets.values('run', []))]).toEqual(['value-a', 'value-b']);
    expect([...(await secrets.values('other', []))]).toEqual([]);
    secrets.forget('run');
    expect([...(await secrets.values('run', []))]).toEqual([]);
  });

  it('a vault that fails: nothing was done; a secret that cannot be opened is left out', async () => {
    const failing = (code: string) =>
      new RunSecrets({ reveal: () => Promise.reject(new TabloomError(code, 'No.')) } as unknown as SecretVault);
    await expect(failing('internal').values('run', ['a'])).rejects.toMatchObject({
      info: { code: 'internal', acted: false },
    });
    expect([...(await failing('secret_missing').values('run', ['a']))]).toEqual([]);
  });
});

describe('an address that was kept', () => {
  it.each([
    ['https://a.example/?k=••••', true],
    [`https://a.example/?k=${encodeURIComponent('••••')}`, true],
    ['https://a.example/?k=[redacted:github-token]', true],
    ['https://a.example/?k=%5Bredacted:github-token]', true],
    ['https://a.example/?k=redacted', false],
  ])('%s: masked %s', (url, masked) => {
    expect(isMasked(url)).toBe(masked);
  });
});
