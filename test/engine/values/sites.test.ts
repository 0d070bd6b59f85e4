import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originOf, originsOf, parsePattern, siteAllows } from '../../../src/engine/values/sites.ts';

describe('match patterns', () => {
  const cases: [string, string, boolean][] = [
    ['https://a.test/*', 'https://a.test/', true],
    ['https://a.test/*', 'http://a.test/', false],
    ['https://a.test/*', 'https://b.a.test/', false],
    ['https://*.a.test/*', 'https://b.a.test/x', true],
    ['https://*.a.test/*', 'https://a.test/x', true],
    ['https://*.a.test/*', 'https://xa.test/x', false],
    ['https://*.a.test/*', 'https://a.test.evil.test/', false],
    ['*://a.test/*', 'http://a.test/', true],
    ['*://*/*', 'https://anything.test:8080/', true],
    ['<all_urls>', 'http://x.test/', true],
    ['<all_urls>', 'file:///etc/passwd', false],
    ['<all_urls>', 'chrome-extension://abc/popup.html', false],
    ['http://localhost:8080/*', 'http://localhost:8080/x', true],
    ['http://localhost:8080/*', 'http://localhost:8081/x', false],
    ['http://localhost/*', 'http://localhost:8081/x', true],
    ['https://a.test:443/*', 'https://a.test/', true],
    ['https://a.test:444/*', 'https://a.test/', false],
    ['https://a.test/list*', 'https://a.test/list?x=1', true],
    ['https://a.test/list', 'https://a.test/list?x=1', false],
    ['https://a.test/*/edit', 'https://a.test/1/2/edit', true],
    ['https://a.test/a*a', 'https://a.test/a', false],
    ['https://A.test/*', 'https://a.TEST/', true],
    ['https://a.test/*', 'https://a.test./', true],
    ['https://a.test/*', 'https://a.test@evil.test/', false],
    ['https://a.test/*', 'https://evil.test/#https://a.test/', false],
    ['https://bücher.test/*', 'https://xn--bcher-kva.test/', true],
    ['http://[::1]:8080/*', 'http://[::1]:8080/', true],
    ['https://a.test/*', 'not a url', false],
  ];
  for (const [pattern, url, allowed] of cases)
    it(`${pattern} and ${url}: ${allowed ? 'allowed' : 'refused'}`, () =>
      expect(siteAllows([pattern], url)).toBe(allowed));

  it('texts that are no patterns: refused with a sentence, and they allow nothing', () => {
    for (const text of [
      '',
      'a.test',
      'https://a.test',
      'https://*a.test/*',
      'https://a.*.test/*',
      'ftp://a.test/*',
      'https:///*',
      'https://a.test:99999/*',
      'https://a.test:0/*',
      'https://u@a.test/*',
      'file:///*',
      'javascript:alert(1)',
    ]) {
      expect(() => parsePattern(text), text).toThrow(/pattern|port|host/);
      expect(siteAllows([text], 'https://a.test/')).toBe(false);
    }
  });

  it('permission origins: without ports and paths, each once, broken ones left out', () => {
    expect(originsOf(['https://a.test:8443/x*', 'https://a.test/*', '*://*.b.test/y', 'nope', '<all_urls>'])).toEqual([
      'https://a.test/*',
      '*://*.b.test/*',
      '*://*/*',
    ]);
  });

  it('origin of an address: with its port; none for others than http and https', () => {
    expect(originOf('https://a.test:8443/x?y#z')).toBe('https://a.test:8443');
    expect(originOf('about:blank')).toBeUndefined();
    expect(originOf('data:text/html,x')).toBeUndefined();
  });

  it('any text as pattern and address: never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, url) => {
        expect(siteAllows([pattern], url)).toBeTypeOf('boolean');
      }),
    );
  });
});
