import { randomUUID } from 'node:crypto';
import type { RequestMessage, RequestName, Requests, ResponseMessage } from '../../app/protocol.ts';
import type { Command, CommandResult } from '../../model/commands.ts';
import { TabloomError } from '../../model/errors.ts';
import type { ExtensionPage } from '../browser/extension-page.ts';
import { until } from '../browser/page.ts';
import { RunFailure } from './failure.ts';

/** The extension's background, asked as its own pages ask it. */
export interface Background {
  /** @throws TabloomError with the background's code and sentence; CdpError when the browser is gone. */
  ask<K extends RequestName>(name: K, payload: Requests[K]['in']): Promise<Requests[K]['out']>;
  /** Sends a command under a fresh id; a refusal is its result. */
  command(command: Command): Promise<CommandResult>;
}

/** Talks to the background through one of the extension's pages. */
export function backgroundOf(page: Pick<ExtensionPage, 'sendMessage'>): Background {
  const ask: Background['ask'] = async (name, payload) => {
    const message: RequestMessage<typeof name> = { tabloom: 1, name, payload };
    const answer = await page.sendMessage<ResponseMessage<typeof name> | undefined>(message, 30_000);
    if (!answer) throw new RunFailure(`The extension does not answer "${name}": build it again with npm run build.`);
    if (!answer.ok) throw new TabloomError(answer.error.code, answer.error.message);
    return answer.value;
  };
  return {
    ask,
    command: (command) => ask('command.send', { commandId: randomUUID(), command, surface: 'cli' }),
  };
}

/** Waits until the background has recovered what a browser that died had left; `patienceMs` at most. */
export async function untilReady(background: Background, patienceMs = 20_000): Promise<void> {
  let last = '';
  await until(
    async () => {
      try {
        return (await background.ask('health.get', {})).ready;
      } catch (error) {
        // A worker that is just starting has no listener yet.
        last = error instanceof Error ? ` (${error.message.split('\n')[0]})` : '';
        return false;
      }
    },
    () =>
      new RunFailure(
        `The extension did not get ready in ${patienceMs / 1000} seconds${last}: build it again with npm run build.`,
      ),
    patienceMs,
  );
}
