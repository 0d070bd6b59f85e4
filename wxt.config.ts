import preact from '@preact/preset-vite';
import type { Plugin } from 'vite';
import { defineConfig } from 'wxt';
import { EXTENSION_KEY, GECKO_ID } from './src/cli/browser/extension-id.ts';

/** Asked for at install. Each one is justified in the README; sites are never among them. */
const PERMISSIONS = [
  'storage',
  'alarms',
  'scripting',
  'activeTab',
  'sidePanel',
  'contextMenus',
  'notifications',
  'unlimitedStorage',
  'identity',
  'declarativeNetRequestWithHostAccess',
];

/** Asked for from a click, when a workflow first needs them. */
const OPTIONAL_PERMISSIONS = ['downloads', 'tabGroups', 'nativeMessaging'];

/** Firefox calls it `sidebar_action` and has no permission for it. */
const UNKNOWN_TO_FIREFOX = new Set(['sidePanel']);

/**
 * Own policy for both browsers. It leaves `connect-src` open, because the person chooses the model endpoint, and it
 * leaves out `upgrade-insecure-requests`, which Firefox adds by default and which would break models on localhost.
 */
const EXTENSION_PAGES_CSP = "script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** A shortcut that the person binds to a workflow; browsers allow four suggested keys, so these have none. */
const COMMAND_SLOTS = Object.fromEntries(
  [1, 2, 3, 4, 5].map((slot) => [`slot-${slot}`, { description: `__MSG_slot${slot}__` }]),
);

/** What pdf.js would run from elsewhere, or of a text, and what stands in its place: this extension runs nothing but what it is packed with. */
const PDF_REFUSED: readonly (readonly [RegExp, string])[] = [
  // Its worker in the page itself, and a library of pictures; only the text of a PDF is read, in a worker of our own.
  [
    /await import\(\s*\/\*webpackIgnore: true\*\/[^;]*?\);/g,
    "await Promise.reject(new Error('Not part of this extension.'));",
  ],
  // Its search for the global object.
  [/Function\('return this'\)\(\)/g, 'globalThis'],
  // The same method by its plain name: the scan for code that is made of text need not guess.
  [/uncurryThis\(Function\.toString\)/g, 'uncurryThis(Function.prototype.toString)'],
];

/** Takes out of pdf.js what would load code. Fails the build when it finds something else than it knows. */
function withoutLoading(): Plugin {
  return {
    name: 'tabloom:pdf-without-loading',
    transform(code, id) {
      if (!/pdfjs-dist\/legacy\/build\/pdf(\.worker)?\.mjs$/.test(id)) return undefined;
      const clean = PDF_REFUSED.reduce((text, [pattern, instead]) => {
        if (text.match(pattern)?.length !== 1)
          this.error(`pdf.js has changed: look for ${pattern} and correct wxt.config.ts.`);
        return text.replace(pattern, instead);
      }, code);
      return { code: clean, map: null };
    },
  };
}

export default defineConfig({
  srcDir: '.',
  entrypointsDir: 'entrypoints',
  publicDir: 'src/public',
  imports: false,
  manifestVersion: 3,
  modules: ['@wxt-dev/webextension-polyfill'],
  vite: () => ({ plugins: [preact(), withoutLoading()], worker: { format: 'es', plugins: () => [withoutLoading()] } }),
  manifest: ({ browser }) => {
    const firefox = browser === 'firefox';
    return {
      name: '__MSG_name__',
      description: '__MSG_description__',
      default_locale: 'en',
      permissions: PERMISSIONS.filter((name) => !firefox || !UNKNOWN_TO_FIREFOX.has(name)),
      // The cast: wxt's list of optional permissions is older than the browsers.
      optional_permissions: OPTIONAL_PERMISSIONS as never,
      optional_host_permissions: ['<all_urls>'],
      content_security_policy: { extension_pages: EXTENSION_PAGES_CSP },
      omnibox: { keyword: 'tabloom' },
      commands: {
        _execute_action: { suggested_key: { default: 'Ctrl+Shift+Y' } },
        'open-side-panel': { description: '__MSG_openSidePanel__', suggested_key: { default: 'Alt+Shift+P' } },
        'next-approval': { description: '__MSG_nextApproval__', suggested_key: { default: 'Alt+Shift+A' } },
        'stop-all': { description: '__MSG_stopAll__', suggested_key: { default: 'Alt+Shift+X' } },
        ...COMMAND_SLOTS,
      },
      ...(firefox
        ? {
            browser_specific_settings: {
              gecko: {
                id: GECKO_ID,
                strict_min_version: '140.0',
                data_collection_permissions: { required: ['websiteContent'] },
              },
            },
          }
        : { key: EXTENSION_KEY, minimum_chrome_version: '123' }),
    };
  },
});
