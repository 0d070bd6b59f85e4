import { TabloomError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Scope } from '../model/roots.ts';
import type { z } from '../model/zod.ts';

/** What an operation may look at beside its arguments. */
export interface OperationContext {
  /** Roots that templates of the step see (`transform` uses them). */
  scope: Scope;
}

/** A built-in operation of `deterministic_command` (SPEC §5): pure and synchronous; the same arguments give the same output. */
export interface Operation {
  id: string;
  /** One line for docs and the editor. */
  summary: string;
  /** Schema of its arguments; unknown ones are refused. */
  args: z.ZodType;
  /** What comes out, in a few words. */
  output: string;
  /** @throws TabloomError `operation_failed` */
  run(args: Json, context: OperationContext): Json;
}

interface Definition<S extends z.ZodType> {
  id: string;
  summary: string;
  args: S;
  output: string;
  /** Works on checked arguments. Throws an `Error` with a sentence where it cannot. */
  work(args: z.output<S>, context: OperationContext): Json;
}

/** Thrown by an operation's work for what is wrong with its arguments: the rest of a sentence. */
export class OperationFailure extends Error {}

/** Makes an operation of its parts: checks the arguments and turns what it throws into `operation_failed`. */
export function defineOperation<S extends z.ZodType>(definition: Definition<S>): Operation {
  const { id, summary, args: schema, output, work } = definition;
  return {
    id,
    summary,
    args: schema,
    output,
    run(args, context) {
      const parsed = schema.safeParse(args);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        const at = issue && issue.path.length > 0 ? `arguments.${issue.path.join('.')}` : 'arguments';
        throw failed(id, `${at}: ${issue?.message ?? 'they do not fit'}`);
      }
      try {
        return work(parsed.data, context);
      } catch (error) {
        if (TabloomError.is(error)) throw error;
        if (error instanceof OperationFailure) throw failed(id, error.message);
        throw failed(id, error instanceof Error ? (error.message.split('\n')[0] ?? 'it failed') : 'it failed');
      }
    },
  };
}

function failed(id: string, reason: string): TabloomError {
  return new TabloomError(
    'operation_failed',
    `The operation ${id} could not be carried out: ${reason.replace(/\.$/, '')}.`,
  );
}
