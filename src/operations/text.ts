import { type LinearRegex, linearRegex } from '../engine/values/regex.ts';
import { asText } from '../engine/values/template.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';
import { jsonList } from './json-schema.ts';

export const textSplit = defineOperation({
  id: 'text.split',
  summary: 'Cuts a text at every separator; an empty separator cuts it into characters.',
  args: z.strictObject({ text: z.string(), separator: z.string() }),
  output: 'list of texts',
  work: ({ text, separator }) => (separator === '' ? [...text] : text.split(separator)),
});

export const textJoin = defineOperation({
  id: 'text.join',
  summary: 'Puts items together with a separator between them; what is no text goes in as templates write it.',
  args: z.strictObject({ items: jsonList, separator: z.string().default('') }),
  output: 'text',
  work: ({ items, separator }) => items.map(asText).join(separator),
});

export const textReplace = defineOperation({
  id: 'text.replace',
  summary: 'Replaces every occurrence of a text, to the letter.',
  args: z.strictObject({ text: z.string(), search: z.string().min(1, 'must not be empty'), replacement: z.string() }),
  output: 'text',
  // By split, since replaceAll() reads `$&` in the replacement.
  work: ({ text, search, replacement }) => text.split(search).join(replacement),
});

const MAX_MATCHES = 100_000;

export const textExtract = defineOperation({
  id: 'text.extract',
  summary: 'Finds a regular expression (RE2 syntax, linear time) in a text; with `all` every match.',
  args: z.strictObject({ text: z.string(), pattern: z.string(), all: z.boolean().default(false) }),
  output: '{match, groups} (match null where there is none), plus `named` for named groups; with `all` a list of those',
  work({ text, pattern, all }) {
    let regex: LinearRegex;
    try {
      regex = linearRegex(pattern);
    } catch (error) {
      throw new OperationFailure(error instanceof Error ? error.message : 'the pattern is wrong');
    }
    const found = regex.find(text, all ? MAX_MATCHES : 1).map(({ match, groups, named }): JsonObject => {
      return Object.keys(named).length > 0 ? { match, groups, named } : { match, groups };
    });
    const none: Json = { match: null, groups: [] };
    return all ? found : (found[0] ?? none);
  },
});
