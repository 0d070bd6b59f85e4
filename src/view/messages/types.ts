import type { en } from './en/index.ts';

/** A text that depends on a count: one form per plural category of the language; `other` is always there. */
export interface Plural {
  zero?: string;
  one?: string;
  two?: string;
  few?: string;
  many?: string;
  other: string;
}

export type Message = string | Plural;
export type English = typeof en;
export type MessageKey = keyof English;

/** A complete catalogue: a text where English has a text, plural forms where English has plural forms. */
export type Catalogue = { [K in MessageKey]: English[K] extends string ? string : Plural };

type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Text<M> = M extends string ? M : M extends { other: infer O extends string } ? O : never;

/** Names of the placeholders in the English text of a key; `n` is the count of a plural. */
export type ParamNames<K extends MessageKey> = Names<Text<English[K]>> | (English[K] extends string ? never : 'n');
export type Params<K extends MessageKey> = { [N in ParamNames<K>]: N extends 'n' ? number : string | number };
/** Arguments after the key: none where the text has no placeholder. */
export type ParamArgs<K extends MessageKey> = [ParamNames<K>] extends [never] ? [] : [Params<K>];
