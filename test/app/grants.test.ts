import { describe, expect, it } from 'vitest';
import { Grants } from '../../src/app/grants.ts';
import { fakeBrowser } from './fake.ts';

async function missing(granted: string[], sites: string[], options: { noPorts?: boolean } = {}): Promise<string[]> {
  const fake = fakeBrowser(options);
  fake.granted = granted;
  return new Grants(fake.browser).missing(sites);
}

describe('sites that are not granted', () => {
  it('nothing granted: each origin once, without path', async () => {
    const sites = [
      'https://example.com/a*',
      'https://example.com/b*',
      'http://127.0.0.1:8123/*',
      '*://*.example.org/*',
      '<all_urls>',
    ];
    expect(await missing([], sites)).toEqual([
      'https://example.com',
      'http://127.0.0.1:8123',
      '*://*.example.org',
      '*://*',
    ]);
  });

  it.each<[string, string[], string[], string[]]>([
    ['a site without a port, a grant for all ports', ['http://127.0.0.1/*'], ['http://127.0.0.1/*'], []],
    ['a site with a port, a grant for all ports', ['http://127.0.0.1/*'], ['http://127.0.0.1:8123/*'], []],
    ['a site with a port, a grant for that port', ['http://127.0.0.1:8123/*'], ['http://127.0.0.1:8123/*'], []],
    [
      'a site with a port, a grant for another port',
      ['http://127.0.0.1:8123/*'],
      ['http://127.0.0.1:8124/*'],
      ['http://127.0.0.1:8124'],
    ],
    ['a site without a port, a grant for one port', ['http://127.0.0.1:8123/*'], ['http://127.0.0.1/*'], []],
    ['a site for both schemes, a grant for one', ['https://example.com/*'], ['*://example.com/*'], []],
    [
      'a site for one scheme, a grant for the other',
      ['https://example.com/*'],
      ['http://example.com/*'],
      ['http://example.com'],
    ],
    [
      'a site with all sub-domains, a grant for one of them',
      ['https://a.example.com/*'],
      ['https://*.example.com/*'],
      ['https://*.example.com'],
    ],
    ['a site with one sub-domain, a grant for all', ['https://*.example.com/*'], ['https://a.example.com/*'], []],
    [
      'a host that only ends alike',
      ['https://*.example.com/*'],
      ['https://badexample.com/*'],
      ['https://badexample.com'],
    ],
    ['everything granted', ['*://*/*'], ['https://a.example.com/*', 'http://127.0.0.1:1/*'], []],
    ['one of two', ['http://localhost/*'], ['http://127.0.0.1/*', 'http://localhost/*'], ['http://127.0.0.1']],
    ['a pattern that cannot be read', [], ['example.com'], []],
  ])('%s', async (_, granted, sites, expected) => {
    expect(await missing(granted, sites)).toEqual(expected);
  });

  it('a browser without ports in patterns: the host decides', async () => {
    expect(await missing(['http://127.0.0.1/*'], ['http://127.0.0.1:8123/*'], { noPorts: true })).toEqual([]);
    expect(await missing([], ['http://127.0.0.1:8123/*'], { noPorts: true })).toEqual(['http://127.0.0.1:8123']);
  });
});
