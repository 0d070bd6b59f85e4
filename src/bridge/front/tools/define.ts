import type { Json, JsonObject } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';
import type { FrontSession } from '../session.ts';

export interface ToolContext {
  session: FrontSession;
  signal: AbortSignal;
  /** The browser that the client named for this call. */
  browser: string | undefined;
  /** Tells the client how far it is, if it asked to be told. */
  progress(message: string): void;
}

export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** One tool of the MCP server. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: ToolHints;
  /** @throws CallError, or TabloomError for arguments that do not fit: the client gets code and sentence as a tool error */
  run(args: JsonObject, context: ToolContext): Promise<JsonObject>;
}

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Which browser: on every tool that has to do with one. */
const BROWSER = z.string().optional().describe('Which browser, by its label; left out: the selected or only one');

/** A tool whose arguments are described, and checked, by a zod object. */
export function tool<S extends z.ZodObject>(
  definition: Omit<Tool, 'inputSchema' | 'run'> & {
    args: S;
    /** It has to do with no single browser. */
    everywhere?: boolean;
    run(args: z.infer<S>, context: ToolContext): Promise<Json>;
  },
): Tool {
  const { args, run, everywhere, ...rest } = definition;
  const shape = everywhere ? args : args.extend({ browser: BROWSER });
  const { $schema: _, ...inputSchema } = z.toJSONSchema(shape, { io: 'input' }) as JsonObject;
  return {
    ...rest,
    inputSchema,
    async run(given, context) {
      return (await run(args.parse(given) as z.infer<S>, context)) as JsonObject;
    },
  };
}
