import { TabloomError } from '../../../model/errors.ts';

/** Largest file that is taken out of a page or a server, or put into a page, bytes. */
export const MOST_BYTES = 64 * 1024 * 1024;
/** Most bytes of a file in one message to or from a page. */
export const PART_BYTES = 3 * 1024 * 1024;

export function tooLarge(size: number): TabloomError {
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MB`;
  return new TabloomError(
    'output_too_large',
    `Use a smaller file: this one has ${megabytes(size)} or more, and a run keeps files of ${megabytes(MOST_BYTES)} at most.`,
    { details: { size, limit: MOST_BYTES }, acted: false },
  );
}
