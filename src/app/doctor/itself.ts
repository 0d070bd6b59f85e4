import type { BrowserFacts, ExtensionFacts } from '../../view/doctor/facts.ts';
import type { BackgroundBrowser } from '../browser-api.ts';

/** What `navigator` tells of the browser; a structural part of it, with what not every browser has. */
export interface Agent {
  userAgent: string;
  userAgentData?: {
    getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: { brand: string; version: string }[] }>;
  };
}

/** The browser's name and version, by its own word where it gives one, else by its user agent. */
export async function browserFacts(browser: BackgroundBrowser, agent: Agent): Promise<BrowserFacts> {
  const { minimum_chrome_version, browser_specific_settings } = browser.runtime.getManifest();
  const minimum = minimum_chrome_version ?? browser_specific_settings?.gecko?.strict_min_version;
  return { ...(await named(browser, agent)), ...(minimum === undefined ? {} : { minimum }) };
}

async function named(browser: BackgroundBrowser, agent: Agent): Promise<{ name: string; version: string }> {
  const info = await browser.runtime.getBrowserInfo?.().catch(() => undefined);
  if (info) return { name: info.name, version: info.version };
  const { fullVersionList = [] } =
    (await agent.userAgentData?.getHighEntropyValues(['fullVersionList']).catch(() => undefined)) ?? {};
  // Chromium lists itself beside the product that is made of it, and a made-up brand that keeps readers honest.
  const brands = fullVersionList.filter(({ brand }) => !/not.?a.?brand/i.test(brand));
  const brand = brands.find(({ brand }) => brand !== 'Chromium') ?? brands[0];
  const engine = brands.find(({ brand }) => brand === 'Chromium');
  if (brand) return { name: brand.brand, version: (engine ?? brand).version };
  const found = /\b(?:Headless)?(Chrome|Firefox)\/([\d.]+)/.exec(agent.userAgent);
  return { name: found?.[1] === 'Chrome' ? 'Chromium' : (found?.[1] ?? 'Browser'), version: found?.[2] ?? '' };
}

/** What the extension is, and how it came into the browser. */
export async function extensionFacts(browser: BackgroundBrowser, production: boolean): Promise<ExtensionFacts> {
  const { version, key, browser_specific_settings } = browser.runtime.getManifest();
  const install = await browser.management?.getSelf().then(
    ({ installType }) => installType,
    () => undefined,
  );
  return {
    id: browser.runtime.id,
    version,
    build: production ? 'production' : 'development',
    ...(install === undefined ? {} : { install }),
    // What comes from a store has its identity from there.
    fixedId: key !== undefined || browser_specific_settings?.gecko?.id !== undefined || install !== 'development',
    incognito: browser.extension?.inIncognitoContext === true,
  };
}
