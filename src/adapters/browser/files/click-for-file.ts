import { TabloomError } from '../../../model/errors.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import type { Acting, Driver } from '../acting.ts';
import { asError, makeRequest } from '../ask.ts';
import type { BrowserDownload } from '../browser-api.ts';
import { following } from '../follow.ts';
import { watchLoading } from '../navigation.ts';
import { actOnce, type OnceResult } from '../once.ts';
import type { Place } from '../page-scripts.ts';
import { fetchFile } from './fetch-file.ts';
import { mediaTypeOf, nameInAddress } from './name.ts';
import { takeFile } from './page-files.ts';
import { showHiddenClicks } from './page-hook.ts';

const PAUSE = 50;
/** How long one look for what the page hands out takes, milliseconds. */
const LOOK = 200;

/** A file, and what names are suggested for it, the best first. */
export interface GivenFile {
  bytes: Uint8Array;
  mediaType: string;
  names: (string | undefined)[];
}

/**
 * Clicks once, and takes the file that comes of it: one that the page makes and hands out by a link, or one that the browser begins to
 * download, which is called off there and fetched.
 * @throws TabloomError as the click; `permission_denied` with `details: {permission: 'downloads'}` where the browser downloads something and
 * may not be asked what; `timeout`; `download_failed`
 */
export async function clickForFile(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
  token: string,
): Promise<{ file: GivenFile; matched: number | undefined }> {
  const own = new OwnDownloads(driver);
  const watch = watchLoading(driver, acting.tab.browserTabId);
  let undo: (() => Promise<void>) | undefined;
  try {
    const { result } = await following(driver, acting, () =>
      actOnce(driver, acting, 'download', args, token, async (place, origin) => {
        own.origin = origin;
        undo = await showHiddenClicks(driver, place);
        return true;
      }),
    );
    const file = await untilFile(driver, acting, result, own, watch).catch((error: unknown) => {
      throw afterClick(error);
    });
    return { file, matched: result.matched };
  } finally {
    own.stop();
    watch.stop();
    await undo?.();
  }
}

/** Whatever fails from here on, the click has been made. */
function afterClick(error: unknown): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: true });
}

async function untilFile(
  driver: Driver,
  acting: Acting,
  { place, origin, before }: OnceResult,
  own: OwnDownloads,
  watch: { readonly begun: boolean; readonly done: boolean },
): Promise<GivenFile> {
  const { time, tab } = acting;
  let here = true;
  for (;;) {
    time.check();
    const [item] = own.items;
    if (item) return fromBrowser(driver, acting, place, origin, item);
    if (here) {
      const end = time.over;
      const asked = await driver.scripts.ask(place, makeRequest('caught', { end }, end ? 0 : LOOK, origin), time);
      if (asked.gone) here = false;
      else if (asked.reply.ok && asked.reply.value !== null)
        return fromPage(driver, acting, place, origin, asked.reply.value as JsonObject);
      else if (!asked.reply.ok && !asked.reply.wait) throw asError(asked.reply.error);
    } else {
      if (!own.allowed)
        throw new TabloomError('download_failed', 'Name what gives the file: the click led to another page instead.', {
          details: { reason: 'page' },
        });
      await time.sleep(PAUSE);
    }
    // Loading came and went, and the same document is still there: a download of the browser's own.
    if (!own.allowed && watch.begun && watch.done && here) {
      const mark = await driver.scripts.documentMark(tab.browserTabId, time);
      if (mark === before.mark && mark !== undefined && own.items.length === 0) throw notAllowed();
    }
    if (!time.over) continue;
    if (!own.allowed) throw notAllowed();
    throw new TabloomError('timeout', 'Look at the page, or raise the timeout: no download has begun after the click.');
  }
}

function notAllowed(): TabloomError {
  return new TabloomError(
    'permission_denied',
    'Let Tabloom see downloads (the optional permission "downloads"), or give the address of the file in `url`: after the click the page itself handed out no file.',
    { details: { permission: 'downloads' } },
  );
}

async function fromPage(
  driver: Driver,
  acting: Acting,
  place: Place,
  origin: string,
  value: JsonObject,
): Promise<GivenFile> {
  const name = typeof value.name === 'string' ? value.name : undefined;
  if (typeof value.key === 'string') {
    const bytes = await takeFile(driver, acting, place, origin, { key: value.key, size: Number(value.size) });
    return { bytes, mediaType: mediaTypeOf(String(value.type)), names: [name] };
  }
  return fromAddress(driver, acting, String(value.href), name);
}

async function fromAddress(
  driver: Driver,
  { call, time }: Acting,
  href: string,
  ...names: (string | undefined)[]
): Promise<GivenFile> {
  const check = (one: string): Promise<string> => driver.gate.check(one, { sites: call.sites });
  const { bytes, mediaType, suggested, url } = await fetchFile(href, check, time);
  return { bytes, mediaType, names: [suggested, ...names, nameInAddress(url), nameInAddress(href)] };
}

/** What the browser was about to save; fetched again, since what it saves cannot be read. */
async function fromBrowser(
  driver: Driver,
  acting: Acting,
  place: Place,
  origin: string,
  { url, finalUrl, filename, mime }: BrowserDownload,
): Promise<GivenFile> {
  const from = finalUrl || url;
  if (/^(blob|data):/.test(from)) {
    const asked = await driver.scripts.ask(
      place,
      makeRequest('read_link', { href: from, name: '' }, 0, origin),
      acting.time,
    );
    if (asked.gone || !asked.reply.ok || !isObject(asked.reply.value))
      throw new TabloomError('download_failed', 'Try again: the page took its file back before it could be read.');
    return fromPage(driver, acting, place, origin, { ...asked.reply.value, name: filename ?? '' });
  }
  // The answer to a form that was sent comes to nobody who only asks for its address.
  const sent = await driver.scripts.ask(place, makeRequest('caught', { sent: true }, 0, origin), acting.time);
  if (!sent.gone && sent.reply.ok && sent.reply.value === true) throw notAtAddress();
  const file = await fromAddress(driver, acting, from, filename);
  if (mime && mediaTypeOf(mime) !== file.mediaType && /html/.test(file.mediaType)) throw notAtAddress();
  return file;
}

function notAtAddress(): TabloomError {
  return new TabloomError(
    'download_failed',
    'Download it by hand: the file is the answer to a form that is sent, and its address alone gives another one.',
    { details: { reason: 'not_at_address' } },
  );
}

/** Downloads that the browser begins while it is looked: they are called off, and nothing of them stays. Only where the person allows that. */
class OwnDownloads {
  readonly items: BrowserDownload[] = [];
  /** Of the page that is clicked on; another page's downloads are the person's. */
  origin: string | undefined;
  readonly allowed: boolean;
  readonly stop: () => void;

  constructor({ browser: { downloads } }: Driver) {
    this.allowed = downloads?.onCreated !== undefined;
    const seen = (item: BrowserDownload): void => {
      if (this.items.length > 0 || item.byExtensionId !== undefined || !this.#isOurs(item)) return;
      this.items.push(item);
      void downloads
        ?.cancel(item.id)
        .catch(() => undefined)
        .then(() => downloads.removeFile(item.id))
        .catch(() => undefined)
        .then(() => downloads.erase({ id: item.id }))
        .catch(() => undefined);
    };
    downloads?.onCreated?.addListener(seen);
    this.stop = () => downloads?.onCreated?.removeListener(seen);
  }

  #isOurs({ url, referrer }: BrowserDownload): boolean {
    const origins = [url, referrer].map((one) => (one && URL.canParse(one) ? new URL(one).origin : undefined));
    return this.origin !== undefined && origins.includes(this.origin);
  }
}
