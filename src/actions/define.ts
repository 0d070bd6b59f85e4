import type { Effect } from '../model/effect.ts';
import { TabloomError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { z } from '../model/zod.ts';

/**
 * A browser action (SPEC §8): one file and one line in the registry. The editor's schema, the docs table, the MCP tools and preflight
 * follow from it. What it does to a page is in `page/`; what it does to tabs is in the browser adapter.
 */
export interface BrowserAction {
  name: string;
  effect: Exclude<Effect, 'pure'>;
  /** One sentence, for docs, the editor and models. */
  summary: string;
  /** Strict schema of the arguments after templates are resolved. */
  args: z.ZodType<JsonObject>;
  /** What the step's output holds, in words. */
  output: string;
  /** True where the work is done inside the page, by the page script. */
  pageSide: boolean;
  /** Top-level arguments that hold targets, for preflight and for pickers. */
  targets: readonly string[];
  /** A verb-first sentence for approval cards, from resolved arguments. */
  title(args: JsonObject): string;
}

/** Declares an action; only gives the literal its type. The cast: zod's inferred objects are JSON, but not by name. */
export function defineAction(action: Omit<BrowserAction, 'args'> & { args: z.ZodType }): BrowserAction {
  return action as BrowserAction;
}

/**
 * Checks resolved arguments against an action's schema and fills in defaults.
 * @throws TabloomError `input_invalid`, naming the first field that is wrong.
 */
export function parseArguments(action: BrowserAction, args: JsonObject): JsonObject {
  const result = action.args.safeParse(args);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.map(String).join('.') || 'arguments';
  throw new TabloomError(
    'input_invalid',
    `Correct "${field}" of ${action.name}: ${issue?.message ?? 'it does not fit'}.`,
    {
      field,
    },
  );
}
