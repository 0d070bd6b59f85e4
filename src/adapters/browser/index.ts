export type { PageBrowser } from './browser-api.ts';
export { readOpenPage } from './open-page.ts';
export { BrowserPages, type BrowserPagesOptions } from './pages.ts';
export { Sights } from './sights.ts';
