import type { Json } from '../../../model/json.ts';
import type { Target } from '../../describe.ts';
import { checkField, dropFiles, fileFieldOf, giveFiles, isFileField, isOpener, openedField } from '../act/upload.ts';
import { PageError } from '../env.ts';
import { checkStable, checkState, pointOf } from '../find/actionable.ts';
import { describe, type Found, findOne } from '../find/resolve.ts';
import type { PageOpRun } from './define.ts';
import { dropStaged, stagedFiles } from './stage.ts';

type Given = { name: string; type: string; size: number };

/** A file field is as a rule hidden behind a button of the page's own; anything else must be seen. */
function find(target: Target): Found {
  try {
    return findOne(target);
  } catch (error) {
    if (!(error instanceof PageError) || error.info.code !== 'element_not_found') throw error;
    let hidden: Found | undefined;
    try {
      hidden = findOne(target, { hidden: true });
    } catch {
      throw error;
    }
    if (!isFileField(hidden.element)) throw error;
    return hidden;
  }
}

/** Finds where files are to go, and waits until they can. */
export const locateUpload: PageOpRun = async (args) => {
  const { element, matched } = find(args.target as Target);
  const field = fileFieldOf(element);
  if (field) checkField(field, args.files as unknown as Given[]);
  else {
    checkState(element);
    await checkStable(element);
    pointOf(element);
  }
  return { value: { what: describe(element) }, matched };
};

/** Gives files that were brought here before to a file field, at once or not at all. */
export const uploadFile: PageOpRun = async (args, begin) => {
  const given = args.files as unknown as Given[];
  const { element, matched } = find(args.target as Target);
  const files = stagedFiles(String(args.staged), given);
  const known = fileFieldOf(element);
  if (known) {
    checkField(known, given);
    begin();
    await giveFiles(known, files);
  } else {
    checkState(element);
    const point = pointOf(element);
    if (isOpener(element)) {
      begin();
      const opened = await openedField(element, point);
      checkField(opened, given);
      await giveFiles(opened, files);
    } else await dropFiles(element, point, files, begin);
  }
  dropStaged();
  return { value: { files: files.map(({ name, size }): Json => ({ name, size })) }, matched };
};
