import { bare, tidy } from '../../actions/page/text.ts';
import type { Json } from '../../model/json.ts';

/** What stands in place of a secret. */
export const MASK = '••••';

/** A shorter text occurs everywhere: it is masked only where it stands alone. Characters. */
const SHORTEST = 4;
/** From this length on it does not count whether letters are capitals: pages write texts in other ones by their style sheets. Characters. */
const SHORTEST_ANY_CASE = 6;
/** Of base64 the part that does not depend on what stands around it must be at least this long. Characters. */
const SHORTEST_BASE64 = 6;

/** A text that is masked, and how it is found whatever its case. */
interface Form {
  text: string;
  lower: string;
  pattern: RegExp | undefined;
}

/**
 * A value without the secrets: each is masked wherever it stands, also as an address, JSON, HTML, hex or base64 writes it, in other capitals,
 * as a page is read (white space in one, nothing unseen), and where a text was cut in the middle of it. Bytes are left as they are.
 */
export function maskSecrets<T>(value: T, secrets: Iterable<string>): T {
  const texts = [...new Set([...secrets].filter((secret) => secret !== '').flatMap(formsOf))];
  if (texts.length === 0) return value;
  texts.sort((a, b) => b.length - a.length);
  return maskIn(value as Json, texts.map(formOf)) as T;
}

function formOf(text: string): Form {
  const anyCase = text.length >= SHORTEST_ANY_CASE;
  const pattern = anyCase ? new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi') : undefined;
  return { text, lower: text.toLowerCase(), pattern };
}

/** A text as other notations write it, itself first. */
function formsOf(secret: string): string[] {
  const plain = secret.toWellFormed();
  const read = [plain.trim(), tidy(plain), tidy(bare(plain))];
  const written = [secret, plain, ...read, ...addressForms(plain)].flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    form.replace(/[&<>\u00a0]/g, (char) => HTML[char] as string),
    form.replace(/[&<>"'\u00a0]/g, (char) => HTML[char] as string),
    form.replace(/[&<>"\u00a0]/g, (char) => HTML[char] as string),
  ]);
  return [...written, ...base64Forms(plain), hexForm(plain)].filter((form) => form !== '');
}

/** Nothing for a text that is too short to be known again. */
function hexForm(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.length < SHORTEST ? '' : bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const HTML: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\u00a0': '&nbsp;',
};

/** Percent encodings: those of scripts, of forms, and the browser's own, which differs between the parts of an address. */
function addressForms(text: string): string[] {
  const encoded = encodeURIComponent(text);
  const own = ['http://h/?', 'http://h/#', 'http://h/'].flatMap((start) =>
    URL.canParse(start + text) ? [new URL(start + text).href.slice(start.length)] : [],
  );
  const forms = [encoded, encodeURI(text), new URLSearchParams([['', text]]).toString().slice(1), ...own];
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

/** Base64 of a text at each of the three places at which it can begin, without the characters that its neighbours share. */
function base64Forms(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].flatMap((shift) => {
    const shifted = new Uint8Array(shift + bytes.length);
    shifted.set(bytes, shift);
    const whole = btoa(Array.from(shifted, (byte) => String.fromCharCode(byte)).join(''));
    const from = Math.ceil((shift * 4) / 3);
    const core = whole.slice(from, Math.floor((shifted.length * 4) / 3));
    if (core.length < SHORTEST_BASE64) return [];
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function maskIn(value: Json | undefined, forms: Form[]): Json | undefined {
  if (typeof value === 'string') return maskText(value, forms);
  if (Array.isArray(value)) return value.map((item) => maskIn(item, forms) as Json);
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskIn(key, forms) as string, maskIn(item, forms) as Json]),
  );
}

function maskText(value: string, forms: Form[]): string {
  let text = value;
  let lower = text.toLowerCase();
  for (const form of forms) {
    const before = text;
    if (form.text.length < SHORTEST) text = text === form.text ? MASK : text;
    else if (!form.pattern) text = text.replaceAll(form.text, MASK);
    else if (lower.includes(form.lower)) text = text.replace(form.pattern, MASK);
    if (text !== before) lower = text.toLowerCase();
  }
  // Texts that were cut end in an ellipsis: a part of a secret may stand before it.
  return text.includes('…') ? text.replace(/[^…]+(?=…)/g, (part) => maskEnd(part, forms)) : text;
}

function maskEnd(part: string, forms: Form[]): string {
  const lower = part.toLowerCase();
  for (const { text, lower: form, pattern } of forms) {
    const [whole, start] = pattern && lower.length === part.length ? [lower, form] : [part, text];
    for (let length = Math.min(start.length - 1, whole.length); length >= SHORTEST; length--) {
      if (whole.endsWith(start.slice(0, length))) return part.slice(0, part.length - length) + MASK;
    }
  }
  return part;
}
