import type { Json } from '../../../model/json.ts';
import type { Target } from '../../describe.ts';
import { press } from '../act/events.ts';
import { type CaughtLink, catchLinks, linkOf, noticeSent } from '../act/links.ts';
import { env, PageError } from '../env.ts';
import { checkState, pointOf } from '../find/actionable.ts';
import { describe, findOne } from '../find/resolve.ts';
import type { PageOpRun } from './define.ts';
import { ready } from './ready.ts';
import { offer } from './stage.ts';

/** What the last click has led to; nothing yet while it is empty. */
let caught: Promise<Json>[] = [];
/** Whether it has sent a form by POST. */
let posted = false;
let stop: (() => void) | undefined;
let idle: ReturnType<typeof setTimeout> | undefined;

/** How long nobody asks before links work again as ever: whoever asked has died. Milliseconds. */
const GIVE_UP = 20_000;

function stayAwake(): void {
  clearTimeout(idle);
  if (stop) idle = setTimeout(release, GIVE_UP);
}

function release(): void {
  clearTimeout(idle);
  stop?.();
  stop = undefined;
  caught = [];
  posted = false;
}

/** Finds what gives a file, waits until it can be clicked, and says where it leads if it is a link. */
export const locateDownload: PageOpRun = async ({ target }) => {
  const { element, matched } = await ready(target as Target, false);
  const link = linkOf(element);
  // A link's file is fetched from where it leads: nothing has to lie free.
  if (!link) pointOf(element);
  return { value: { what: describe(element), link: link ? { ...link } : null }, matched };
};

/** Reads a link that leads to data of the page itself. */
export const readLink: PageOpRun = async ({ href, name }) => ({
  value: await taken({ href: String(href), name: String(name), attribute: true }),
});

/** Clicks at once or not at all, and from then on catches the link that the page follows to hand out its file. */
export const download: PageOpRun = async (args, begin) => {
  const { element, matched } = findOne(args.target as Target);
  checkState(element);
  const point = pointOf(element);
  begin();
  release();
  const stopLinks = catchLinks((link) => {
    const file = taken(link);
    file.catch(() => undefined);
    caught.push(file);
  });
  // What a server answers to one is not to be had at its address.
  const stopForms = noticeSent(({ method }) => {
    posted ||= method === 'post';
  });
  stop = () => {
    stopLinks();
    stopForms();
  };
  stayAwake();
  await press(point, { button: 'left', count: 1, modifiers: [] });
  return { value: null, matched };
};

/**
 * What was caught since the click. With `end` it is the last look, and links work again as ever; with `sent` it is told whether a form was
 * sent by POST.
 */
export const caughtLink: PageOpRun = async ({ end, sent }) => {
  if (sent === true) return { value: posted };
  const [first] = caught;
  if (end === true || first) release();
  else stayAwake();
  if (first) return { value: await first };
  if (end === true) return { value: null };
  throw new PageError('timeout', 'Look at the page: no download has begun.', { wait: true });
};

/** Data of the page is read at once, since pages take it back soon; of anything else the address is told. */
async function taken({ href, name }: CaughtLink): Promise<Json> {
  if (!/^(blob|data):/.test(href)) return { href, name };
  try {
    const blob = await env().read(href);
    return { key: offer(blob), size: blob.size, type: blob.type, name };
  } catch {
    throw new PageError('download_failed', 'Try again: the page took its file back before it could be read.');
  }
}
