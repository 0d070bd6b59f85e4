import { describe, expect, it } from 'vitest';
import { isLocalHost } from '../../../src/engine/values/local-network.ts';
import { patternCovered, siteAllows } from '../../../src/engine/values/sites.ts';

const LOCAL = [
  'http://localhost/',
  'http://localhost.:8080/',
  'http://app.localhost/',
  'http://127.0.0.1:9222/',
  'http://127.255.0.9/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.0.0.1./',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://100.64.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]/',
  'http://[::]/',
  'http://[fc00::1]/',
  'http://[fd12:3456::1]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:c0a8:101]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::10.0.0.1]/',
  'http://printer.local/',
  'http://PRINTER.Local/',
  'http://metadata.google.internal/',
  'http://nas.home.arpa/',
  'http://intranet/',
  'http://router:8080/',
];

const PUBLIC = [
  'https://example.com/',
  'https://local.example/',
  'https://my.localnet/',
  'https://internal.example.com/',
  'http://9.255.255.255/',
  'http://11.0.0.1/',
  'http://100.63.255.255/',
  'http://100.128.0.1/',
  'http://126.255.255.255/',
  'http://128.0.0.1/',
  'http://172.15.0.1/',
  'http://172.32.0.1/',
  'http://192.167.0.1/',
  'http://192.169.0.1/',
  'http://169.253.0.1/',
  'http://[2001:db8::1]/',
  'http://[fec0::1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[64:ff9b::8.8.8.8]/',
  'http://10.example.com/',
  'http://127.0.0.1.example.com/',
];

describe('this machine and its network', () => {
  it.each(LOCAL)('%s: reached by no pattern for any host', (url) => {
    expect(isLocalHost(new URL(url).hostname)).toBe(true);
    expect(siteAllows(['https://*/*', 'http://*/*', '*://*/*', 'http://*:8080/*', '<all_urls>'], url)).toBe(false);
  });

  it.each(PUBLIC)('%s: reached', (url) => {
    expect(isLocalHost(new URL(url).hostname)).toBe(false);
    expect(siteAllows(['*://*/*'], url)).toBe(true);
  });

  it.each([
    ['http://127.0.0.1/*', 'http://127.0.0.1:8080/x'],
    ['http://localhost/*', 'http://localhost:3000/'],
    ['http://192.168.1.1/admin*', 'http://192.168.1.1/admin?x'],
    ['http://[::1]/*', 'http://[::1]/'],
    ['http://*.corp.local/*', 'http://wiki.corp.local/'],
    ['http://*.local/*', 'http://printer.local/'],
    ['http://intranet/*', 'http://intranet/'],
  ])('%s names the host of %s', (pattern, url) => {
    expect(siteAllows(['https://*/*', pattern], url)).toBe(true);
  });

  it.each([
    ['<all_urls>', 'http://127.0.0.1/*', false],
    ['*://*/*', 'http://intranet/*', false],
    ['*://*/*', 'http://*.local/*', false],
    ['*://*/*', 'http://*.corp.internal/*', false],
    ['*://*/*', 'http://*.com/*', true],
    ['*://*/*', 'https://example.com/*', true],
    ['<all_urls>', '*://*/*', true],
    ['http://*.corp.local/*', 'http://wiki.corp.local/*', true],
  ])('sites %s cover the pattern %s: %s', (outer, inner, covered) => {
    expect(patternCovered([outer], inner)).toBe(covered);
  });
});
