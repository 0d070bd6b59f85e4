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
 * @returns the orders in a text, in order; also those inside a JSON string
 */
export function ordersIn(text: string): Order[] {
  const found = (from: string) =>
    [...from.matchAll(ORDER)].flatMap(([, tool = '', args = '{}']) => {
      try {
        return [{ tool, arguments: JSON.parse(args) as JsonObject }];
      } catch {
        return [];
      }
    });
  const direct = found(text);
  return direct.length > 0 ? direct : found(text.replaceAll('\\"', '"').replaceAll('\\\\', '\\'));
}
