/** Keys of a US keyboard by name, as their events tell of them. Pure: the schema and the page script both read it. */

export type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift';

export interface Key {
  /** `key` of the events. */
  key: string;
  /** `code` of the events; empty for what is on no key. */
  code: string;
  keyCode: number;
  /** What it types, if anything: also tells that a `keypress` comes with it. */
  text?: string;
}

/** One key with those that are held meanwhile. */
export interface Chord {
  key: Key;
  modifiers: Modifier[];
}

const NAMED: Record<string, Key> = Object.fromEntries(
  (
    [
      ['Enter', 13, '\r'],
      ['Tab', 9],
      ['Escape', 27],
      ['Backspace', 8],
      ['Delete', 46],
      ['Insert', 45],
      ['Home', 36],
      ['End', 35],
      ['PageUp', 33],
      ['PageDown', 34],
      ['ArrowLeft', 37],
      ['ArrowUp', 38],
      ['ArrowRight', 39],
      ['ArrowDown', 40],
      ['CapsLock', 20],
      ['ContextMenu', 93],
      ...Array.from({ length: 12 }, (_, i): [string, number] => [`F${i + 1}`, 112 + i]),
    ] as [string, number, string?][]
  ).map(([key, keyCode, text]) => [key.toLowerCase(), { key, code: key, keyCode, ...(text ? { text } : {}) }]),
);
NAMED.space = { key: ' ', code: 'Space', keyCode: 32, text: ' ' };
for (const [key, keyCode] of [
  ['Control', 17],
  ['Shift', 16],
  ['Alt', 18],
  ['Meta', 91],
] as const)
  NAMED[key.toLowerCase()] = { key, code: `${key}Left`, keyCode };

/** Other names that people and models use. */
const ALIASES: Record<string, string> = {
  ctrl: 'control',
  cmd: 'meta',
  command: 'meta',
  option: 'alt',
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
  spacebar: 'space',
};

const MODIFIERS: readonly string[] = ['Alt', 'Control', 'Meta', 'Shift'] satisfies Modifier[];

/** Characters of each key, plain and with Shift. */
const PUNCTUATION: readonly [string, string, number][] = [
  ['`~', 'Backquote', 192],
  ['-_', 'Minus', 189],
  ['=+', 'Equal', 187],
  ['[{', 'BracketLeft', 219],
  [']}', 'BracketRight', 221],
  ['\\|', 'Backslash', 220],
  [';:', 'Semicolon', 186],
  ['\'"', 'Quote', 222],
  [',<', 'Comma', 188],
  ['.>', 'Period', 190],
  ['/?', 'Slash', 191],
];
const SHIFTED_DIGITS = ')!@#$%^&*(';

/** The key that types a character; one that is on no US key has no code. */
export function keyOf(character: string): Key {
  if (character === '\n' || character === '\r') return NAMED.enter as Key;
  if (character === '\t') return NAMED.tab as Key;
  if (character === ' ') return NAMED.space as Key;
  const made = (code: string, keyCode: number): Key => ({ key: character, code, keyCode, text: character });
  if (/^[a-z]$/i.test(character)) {
    const upper = character.toUpperCase();
    return made(`Key${upper}`, upper.charCodeAt(0));
  }
  const digit = /^\d$/.test(character) ? Number(character) : SHIFTED_DIGITS.indexOf(character);
  if (digit >= 0) return made(`Digit${digit}`, 48 + digit);
  for (const [characters, code, keyCode] of PUNCTUATION) if (characters.includes(character)) return made(code, keyCode);
  return made('', 0);
}

/**
 * Reads `Enter`, `a`, `Control+A`, `Shift+Tab`. A letter with other keys than Shift held is the small one, as on a keyboard.
 * @returns undefined for what names no key
 */
export function parseKey(text: string): Chord | undefined {
  const plus = text === '+' || text.endsWith('++');
  const parts = (plus ? text.slice(0, -1).replace(/\+$/, '') : text).split('+').filter((part) => part !== '' || !plus);
  const last = plus ? '+' : parts.pop();
  const modifiers: Modifier[] = [];
  for (const part of parts) {
    const found = named(part)?.key;
    if (found === undefined || !MODIFIERS.includes(found)) return undefined;
    if (!modifiers.includes(found as Modifier)) modifiers.push(found as Modifier);
  }
  if (last === undefined || last === '') return undefined;
  const known = named(last);
  if (known) return { key: known, modifiers };
  if ([...last].length !== 1) return undefined;
  const held = modifiers.length > 0;
  const shift = modifiers.includes('Shift');
  return { key: keyOf(shift ? last.toUpperCase() : held ? last.toLowerCase() : last), modifiers };
}

function named(text: string): Key | undefined {
  const name = text.trim().toLowerCase();
  if (name === '' || name.length === 1) return undefined;
  const key = ALIASES[name] ?? name;
  return Object.hasOwn(NAMED, key) ? NAMED[key] : undefined;
}

/** A text cut into what is typed with one press each. */
export function charactersOf(text: string): string[] {
  const plain = text.replace(/\r\n?/g, '\n');
  return Array.from(new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(plain), (part) => part.segment);
}
