import { canonicalJson } from './canonical.ts';
import type { Json } from './json.ts';
import type { ModelAccount, ModelSettings } from './model-settings.ts';

/** A part of the model settings that two windows have changed in different ways; absent where one of them has removed it. */
export interface ModelConflict {
  part: 'account' | 'name' | 'default' | 'price';
  /** The account, the name or the model; empty for the default. */
  key: string;
  mine?: string;
  theirs?: string;
}

type Parts = Map<string, Json>;

/**
 * Puts what one window has changed into what is stored now: each account, name and price, and the default model, by itself. Where both have
 * changed the same part, and not to the same, there is a conflict, and `settings` hold what is stored.
 * @param base what the window had been given @param mine what it made of it @param theirs what is stored now
 */
export function mergeModels(
  base: ModelSettings,
  mine: ModelSettings,
  theirs: ModelSettings,
): { settings: ModelSettings; conflicts: ModelConflict[] } {
  const conflicts: ModelConflict[] = [];
  const merged = <P extends ModelConflict['part']>(
    part: P,
    of: (settings: ModelSettings) => Parts,
  ): [string, Json][] => {
    const [before, here, there] = [of(base), of(mine), of(theirs)];
    const result: [string, Json][] = [];
    for (const key of new Set([...there.keys(), ...here.keys(), ...before.keys()])) {
      const [was, own, other] = [before.get(key), here.get(key), there.get(key)];
      const keep = same(own, was) || same(own, other);
      if (!keep && !same(other, was)) conflicts.push({ part, key, ...words('mine', own), ...words('theirs', other) });
      const value = keep || !same(other, was) ? other : own;
      if (value !== undefined) result.push([key, value]);
    }
    return result;
  };
  const accounts = merged('account', ({ accounts: all }) => new Map(all.map((one) => [one.id, rowOf(one)])));
  const names = merged('name', (settings) => new Map(Object.entries(settings.names)));
  const [chosen] = merged(
    'default',
    (settings) => new Map(settings.default === undefined ? [] : [['', settings.default]]),
  );
  const prices = merged('price', (settings) => new Map(Object.entries(settings.prices ?? {}) as [string, never][]));
  return {
    settings: {
      accounts: accounts.map(([id, row]) => ({ ...(row as unknown as ModelAccount), id, hasKey: false })),
      names: Object.fromEntries(names) as Record<string, string>,
      ...(chosen ? { default: chosen[1] as string } : {}),
      ...(prices.length > 0 ? { prices: Object.fromEntries(prices) as unknown as ModelSettings['prices'] } : {}),
    },
    conflicts,
  };
}

/** Without its id, which is the key, and `hasKey`, which the vault knows. */
function rowOf({ id: _, hasKey: __, ...row }: ModelAccount): Json {
  return row as unknown as Json;
}

function same(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function words<K extends 'mine' | 'theirs'>(key: K, value: Json | undefined): { [P in K]?: string } {
  if (value === undefined) return {};
  const text =
    typeof value === 'string'
      ? value
      : Object.entries(value as Record<string, Json>)
          .map(([name, each]) => (typeof each === 'boolean' ? `${name}: ${each}` : each))
          .join(' ');
  return { [key]: text } as { [P in K]?: string };
}

/** A base with the conflicting parts as they are stored now: who saves on it has seen them, and means to overwrite them and nothing else. */
export function acceptConflicts(base: ModelSettings, theirs: ModelSettings, conflicts: ModelConflict[]): ModelSettings {
  const next: ModelSettings = structuredClone(base);
  const set = <T>(rows: Record<string, T>, from: Record<string, T>, key: string) => {
    if (from[key] === undefined) delete rows[key];
    else rows[key] = from[key];
  };
  for (const { part, key } of conflicts) {
    if (part === 'account') {
      const other = theirs.accounts.filter(({ id }) => id === key);
      next.accounts = [...next.accounts.filter(({ id }) => id !== key), ...other];
    } else if (part === 'name') set(next.names, theirs.names, key);
    else if (part === 'price') {
      next.prices ??= {};
      set(next.prices, theirs.prices ?? {}, key);
    } else if (theirs.default === undefined) delete next.default;
    else next.default = theirs.default;
  }
  return next;
}
