import type { JsonObject } from '../../src/model/json.ts';

/** What a model is told to do by whoever writes so: `DO <tool> <arguments>`, and this is its end. */
const ORDER = /DO ([\w.-]+) (\{.*?\}) DONE/g;

export interface Order {
  tool: string;
  arguments: JsonObject;
}

/** An order as it stands in a text. */
export const order = (tool: string, args: JsonObject): string => `DO ${tool} ${JSON.stringify(args)} DONE`;

/**
 * The worst model there is: it does whatever any text tells it, wherever it stands and whoever wrote it.
 * @returns the orders in a text, in order; also those inside JSON strings
 */
export function ordersIn(text: string): Order[] {
  return [...text.matchAll(ORDER)].flatMap(([, tool = '', args = '{}']) => {
    // In a snapshot inside a result it is quoted twice.
    let [written, read] = [args, parse(args)];
    for (let level = 0; level < 3 && !read; level++) {
      written = written.replaceAll(/\\(["\\])/g, '$1');
      read = parse(written);
    }
    return read ? [{ tool, arguments: read }] : [];
  });
}

function parse(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
