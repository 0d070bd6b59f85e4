import type { Json, JsonObject } from '../../../model/json.ts';
import type { z } from '../../../model/zod.ts';
import type { FrontSession } from '../session.ts';
import { compactSchema } from './compact.ts';

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

/** One piece of what a tool answers. */
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string };

/** One tool of the MCP server. */
export interface Tool {
  name: string;
  title?: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  annotations: ToolHints;
  /** @throws CallError, or TabloomError for arguments that do not fit: the client gets code and sentence as a tool error */
  run(args: JsonObject, context: ToolContext): Promise<JsonObject>;
  /** What a model reads of an answer; by default its JSON. */
  content?(value: JsonObject, context: ToolContext): Promise<Content[]>;
}

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A tool whose arguments are described, and checked, by a zod object. All take `browser` too, which the server's instructions say. */
export function tool<S extends z.ZodObject>(
  definition: Omit<Tool, 'inputSchema' | 'run'> & {
    args: S;
    run(args: z.infer<S>, context: ToolContext): Promise<Json>;
  },
): Tool {
  const { args, run, ...rest } = definition;
  return {
    ...rest,
    inputSchema: compactSchema(args),
    async run(given, context) {
      return (await run(args.parse(given) as z.infer<S>, context)) as JsonObject;
    },
  };
}
