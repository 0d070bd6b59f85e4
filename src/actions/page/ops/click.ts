import type { Target } from '../../describe.ts';
import { type Pointing, press } from '../act/events.ts';
import { type NewTab, noticeNewTabs } from '../act/links.ts';
import { watchOutcome } from '../act/outcome.ts';
import { PageError } from '../env.ts';
import { checkState, pointOf } from '../find/actionable.ts';
import { describe, findOne } from '../find/resolve.ts';
import type { PageOpRun } from './define.ts';
import { locateDownload } from './download.ts';
import { locateDrag } from './drag.ts';
import { locateKey, locateType } from './keys.ts';
import { ready } from './ready.ts';
import { locateUpload } from './upload.ts';

const locateClick: PageOpRun = async ({ target }) => {
  const { element, matched } = await ready(target as Target, false);
  pointOf(element);
  return { value: { what: describe(element) }, matched };
};

const LOCATE: Readonly<Record<string, PageOpRun>> = {
  click: locateClick,
  type: locateType,
  press_key: locateKey,
  drag: locateDrag,
  upload_file: locateUpload,
  download: locateDownload,
};

/** Finds the element of an act that must not be done twice, named in `for`, and waits until it can be done. */
export const locate: PageOpRun = (args, begin) => (LOCATE[String(args.for)] ?? locateClick)(args, begin);

/**
 * Clicks at once, or not at all. `opens` is the address of a link or form that it follows into a new tab, else null; `kept` whether the
 * browser was kept from opening it; `still` whether it is sure that nothing comes of it any more.
 */
export const click: PageOpRun = async (args, begin) => {
  const { element, matched } = findOne(args.target as Target);
  checkState(element);
  const point = pointOf(element);
  begin();
  const outcome = watchOutcome();
  let newTab: NewTab | undefined;
  const stop = noticeNewTabs((tab) => {
    newTab = tab;
  });
  let pressed: boolean;
  let still: boolean;
  try {
    pressed = await press(point, args as unknown as Pointing);
  } finally {
    stop();
    still = await outcome();
  }
  if (pressed) return { value: { opens: newTab?.address ?? null, kept: newTab?.kept ?? false, still }, matched };
  throw new PageError(
    'element_not_actionable',
    `Look at the page: ${describe(element)} was taken away while it was pressed, so that it got no click.`,
    { details: { reason: 'detached' } },
  );
};
