import type { Target } from '../../describe.ts';
import { type Pointing, press } from '../act/events.ts';
import { checkState, pointOf } from '../find/actionable.ts';
import { describe, findOne } from '../find/resolve.ts';
import type { PageOpRun } from './define.ts';
import { locateDownload } from './download.ts';
import { ready } from './ready.ts';
import { locateUpload } from './upload.ts';

/** Acts that are looked for in a way of their own. */
const LOOKS: Readonly<Record<string, PageOpRun>> = { upload_file: locateUpload, download: locateDownload };

/** Finds the element of an act that must not be done twice, and waits until it can be done. */
export const locate: PageOpRun = async (args, begin) => {
  const own = LOOKS[String(args.for)];
  if (own) return own(args, begin);
  const { target } = args;
  const { element, matched } = await ready(target as Target, false);
  pointOf(element);
  return { value: { what: describe(element) }, matched };
};

/** Clicks at once, or not at all. */
export const click: PageOpRun = (args, begin) => {
  const { element, matched } = findOne(args.target as Target);
  checkState(element);
  const point = pointOf(element);
  begin();
  press(point, args as unknown as Pointing);
  return { value: null, matched };
};
