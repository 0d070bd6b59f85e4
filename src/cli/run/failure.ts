import { toErrorInfo } from '../../model/errors.ts';
import { errorText } from '../../view/error-text.ts';

/** Longest message of our own that is said as it is, characters. */
const MAX_OURS = 1000;

/** Anything thrown as one line for the person. Our own errors are one sentence already; of others the first line is kept, and not all of a long one. */
export function oneSentence(error: unknown): string {
  if (error instanceof Error && OURS.has(error.name) && error.message.trim() !== '') {
    const message = error.message.trim();
    // What a provider or page said may be in it, and may go on without end.
    return message.length > MAX_OURS ? errorText(message).text : message;
  }
  const { text } = errorText(toErrorInfo(error).message);
  return `Tabloom failed, which it should not: ${text.replace(/\.$/, '')} (TABLOOM_DEBUG=1 shows where).`;
}

/** Errors whose messages are written for people. */
const OURS = new Set([
  'UsageError',
  'RunFailure',
  'TabloomError',
  'ChromiumMissingError',
  'BuildError',
  'LaunchError',
  'OriginInvalidError',
]);

/** The command cannot go on. The message is one sentence that says what to do; `exitCode` is what it ends with. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
