/** Stands in for `wxt/browser` in unit tests: the extension APIs, in memory. */
export { fakeBrowser as browser } from 'wxt/testing/fake-browser';
