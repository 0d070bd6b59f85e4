import { RE2JS } from 're2js';
import { BoundedCache } from './cache.ts';

/** A compiled pattern that matches in linear time. */
export interface LinearRegex {
  /** True when the pattern occurs anywhere in the text. */
  test(text: string): boolean;
  /** Matches from left to right, at most `limit`: whole match, numbered groups (null where not part of it), named groups. */
  find(
    text: string,
    limit: number,
  ): { match: string; groups: (string | null)[]; named: Record<string, string | null> }[];
}

const MAX_PATTERN = 2000;
const cache = new BoundedCache<LinearRegex>(200);

/**
 * Compiles a regular expression in RE2 syntax: no back-references and no look-ahead, hence time linear in the text whatever the pattern.
 * (The `matches` of cel-js and the `RegExp` of the language backtrack: 20 s on 29 characters.)
 * @throws Error with a sentence, where the pattern is none or uses what RE2 has not
 */
export function linearRegex(pattern: string): LinearRegex {
  const known = cache.get(pattern);
  if (known) return known;
  if (pattern.length > MAX_PATTERN) throw new Error(`the pattern is longer than ${MAX_PATTERN} characters`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    throw new Error(
      `"${pattern.slice(0, 80)}" is not a pattern that runs in linear time (${(error as Error).message})`,
    );
  }
  const names = Object.entries(compiled.namedGroups());
  return cache.set(pattern, {
    test: (text) => compiled.matcher(text).find(),
    find(text, limit) {
      const found: ReturnType<LinearRegex['find']> = [];
      const matcher = compiled.matcher(text);
      while (found.length < limit && matcher.find()) {
        const groups: (string | null)[] = [];
        for (let i = 1; i <= matcher.groupCount(); i += 1) groups.push(matcher.group(i));
        const named: Record<string, string | null> = {};
        for (const [name, index] of names) named[name] = groups[index - 1] as string | null;
        found.push({ match: matcher.group(0) as string, groups, named });
      }
      return found;
    },
  });
}
