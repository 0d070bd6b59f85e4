/** Anything thrown as one line for the person. Our own errors are one sentence already; of others the first line is kept. */
export function oneSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = message.trim() || (error instanceof Error ? error.name : 'something unknown');
  if (error instanceof Error && OURS.has(error.name)) return text;
  return `Tabloom failed, which it should not: ${text.split('\n')[0]} (TABLOOM_DEBUG=1 shows where).`;
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
