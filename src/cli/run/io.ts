import { createInterface } from 'node:readline/promises';

/** Where a run's words go. With `--json` standard output holds the result line and nothing else. */
export interface Io {
  /** What a person may want to read: progress, the tree, where files are. */
  say(text?: string): void;
  /** What went wrong: standard error, always. */
  complain(text: string): void;
  /** The one line of JSON; does nothing without `--json`. */
  result(value: unknown): void;
  /** True when somebody can be asked here. */
  readonly interactive: boolean;
  /**
   * Asks and gives the answer, trimmed. Empty when the input ended.
   * @param signal ends the question, for example because it was answered elsewhere; the promise then rejects with an AbortError.
   */
  ask(question: string, signal?: AbortSignal): Promise<string>;
}

/** The process's own streams. Questions are asked on standard error, so that standard output can be piped. */
export function terminalIo(json: boolean): Io {
  const words = json ? process.stderr : process.stdout;
  return {
    say: (text = '') => void words.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    result: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    interactive: process.stdin.isTTY === true,
    async ask(question, signal) {
      const reader = createInterface({ input: process.stdin, output: process.stderr });
      // Ctrl+C at a question means the same as elsewhere: the process's own handler cancels the run.
      reader.on('SIGINT', () => process.emit('SIGINT'));
      const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
      try {
        return (
          await Promise.race([signal ? reader.question(question, { signal }) : reader.question(question), ended])
        ).trim();
      } finally {
        reader.close();
      }
    },
  };
}
