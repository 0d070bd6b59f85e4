import { splitMessage } from './format.ts';
import type { Catalogue, Message } from './types.ts';

const ACCENTS: Record<string, string> = {
  a: 'á',
  b: 'ƀ',
  c: 'ç',
  d: 'đ',
  e: 'é',
  f: 'ƒ',
  g: 'ğ',
  h: 'ħ',
  i: 'í',
  j: 'ĵ',
  k: 'ķ',
  l: 'ł',
  m: 'ɱ',
  n: 'ñ',
  o: 'ó',
  p: 'þ',
  q: 'ɋ',
  r: 'ř',
  s: 'š',
  t: 'ŧ',
  u: 'ú',
  v: 'ṽ',
  w: 'ŵ',
  x: 'ẋ',
  y: 'ý',
  z: 'ž',
  A: 'Á',
  B: 'Ɓ',
  C: 'Ç',
  D: 'Đ',
  E: 'É',
  F: 'Ƒ',
  G: 'Ğ',
  H: 'Ħ',
  I: 'Í',
  J: 'Ĵ',
  K: 'Ķ',
  L: 'Ł',
  M: 'Ɱ',
  N: 'Ñ',
  O: 'Ó',
  P: 'Þ',
  Q: 'Ɋ',
  R: 'Ř',
  S: 'Š',
  T: 'Ŧ',
  U: 'Ú',
  V: 'Ṽ',
  W: 'Ŵ',
  X: 'Ẋ',
  Y: 'Ý',
  Z: 'Ž',
};

/** One text, accented and 40 % longer, in brackets: what is not translated or is cut off shows at a glance. Placeholders stay. */
export function pseudoText(text: string): string {
  const body = splitMessage(text)
    .map((part) =>
      'name' in part ? `{${part.name}}` : [...part.text].map((letter) => ACCENTS[letter] ?? letter).join(''),
    )
    .join('');
  return `[${body} ${'~'.repeat(Math.ceil(text.length * 0.4))}]`;
}

function pseudoMessage(message: Message): Message {
  if (typeof message === 'string') return pseudoText(message);
  return Object.fromEntries(
    Object.entries(message).map(([category, text]) => [category, pseudoText(text)]),
  ) as unknown as Message;
}

/** The pseudo-locale en-XA, made from a complete catalogue. */
export function pseudoCatalogue(english: Catalogue): Catalogue {
  return Object.fromEntries(
    Object.entries(english).map(([key, message]) => [key, pseudoMessage(message)]),
  ) as unknown as Catalogue;
}
