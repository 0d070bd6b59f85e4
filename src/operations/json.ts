import { canonicalJson } from '../model/canonical.ts';
import type { Json } from '../model/json.ts';
import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';
import { anyJson } from './json-schema.ts';

export const jsonParse = defineOperation({
  id: 'json.parse',
  summary: 'Reads a text as JSON.',
  args: z.strictObject({ text: z.string() }),
  output: 'the value that the text holds',
  work({ text }) {
    try {
      return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
    } catch (error) {
      // The engine's own message quotes the text, which may be anything; only the place is kept.
      const at = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
      throw new OperationFailure(`the text is not JSON${at === undefined ? '' : ` (from character ${at} on)`}`);
    }
  },
});

export const jsonStringify = defineOperation({
  id: 'json.stringify',
  summary: 'Writes a value as JSON: compact with sorted keys, or indented in the order that it has.',
  args: z.strictObject({ value: anyJson, indent: z.number().int().min(0).max(8).optional() }),
  output: 'text',
  work: ({ value, indent }) => (indent ? JSON.stringify(value, null, indent) : canonicalJson(value)),
});
