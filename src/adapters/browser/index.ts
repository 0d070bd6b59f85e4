export type { PageBrowser } from './browser-api.ts';
export { BrowserPages, type BrowserPagesOptions } from './pages.ts';
export { Sights } from './sights.ts';
