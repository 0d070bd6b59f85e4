import type { LinkCall } from '../../../adapters/link/connect.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { Json } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';
import type { App } from '../../app.ts';

/** What one method of the link is given. */
export interface MethodContext<P> {
  app: App;
  params: P;
  call: LinkCall;
}

/**
 * One thing that the bridge may ask of the extension. The same call may arrive again with the same key, when its answer was lost: a method
 * that changes something does it once under that key.
 */
export interface Method {
  run(app: App, call: LinkCall): Promise<Json>;
}

/** Parameters are checked before anything is done: what comes over the link is data like any other. */
export function method<S extends z.ZodType>(
  params: S,
  run: (context: MethodContext<z.infer<S>>) => Promise<unknown>,
): Method {
  return {
    async run(app, call) {
      const read = params.safeParse(call.params);
      if (!read.success)
        throw new TabloomError(
          'input_invalid',
          `Correct the parameters of ${call.method}: ${z.prettifyError(read.error)}`,
        );
      // Rows hold optional members as undefined, which JSON leaves out.
      return JSON.parse(JSON.stringify((await run({ app, params: read.data, call })) ?? null)) as Json;
    },
  };
}

export const runId = z.string().min(1).max(200);
