import type { Json } from '../../model/json.ts';

/** What stands in place of a secret. */
export const MASK = '••••';

/** A shorter text occurs everywhere: it is masked only where it stands alone. Characters. */
const SHORTEST = 4;
/** Of base64 the part that does not depend on what stands around it must be at least this long. Characters. */
const SHORTEST_BASE64 = 6;

/**
 * A value without the secrets: each is masked wherever it stands, also as an address, JSON, HTML or base64 writes it, and where a text was
 * cut in the middle of it. Bytes are left as they are.
 */
export function maskSecrets<T>(value: T, secrets: Iterable<string>): T {
  const forms = [...new Set([...secrets].filter((secret) => secret !== '').flatMap(formsOf))];
  if (forms.length === 0) return value;
  forms.sort((a, b) => b.length - a.length);
  return maskIn(value as Json, forms) as T;
}

/** A text as other notations write it, itself first. */
function formsOf(secret: string): string[] {
  const plain = secret.toWellFormed();
  const written = [secret, plain, plain.trim(), ...addressForms(plain)].flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    form.replace(/[&<>\u00a0]/g, (char) => HTML[char] as string),
    form.replace(/[&<>"'\u00a0]/g, (char) => HTML[char] as string),
    form.replace(/[&<>"\u00a0]/g, (char) => HTML[char] as string),
  ]);
  return [...written, ...base64Forms(plain)].filter((form) => form !== '');
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

function maskIn(value: Json | undefined, forms: string[]): Json | undefined {
  if (typeof value === 'string') return maskText(value, forms);
  if (Array.isArray(value)) return value.map((item) => maskIn(item, forms) as Json);
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskIn(key, forms) as string, maskIn(item, forms) as Json]),
  );
}

function maskText(value: string, forms: string[]): string {
  let text = value;
  for (const form of forms) {
    if (form.length < SHORTEST) text = text === form ? MASK : text;
    else if (text.includes(form)) text = text.replaceAll(form, MASK);
  }
  // Texts that were cut end in an ellipsis: a part of a secret may stand before it.
  return text.includes('…') ? text.replace(/[^…]+(?=…)/g, (part) => maskEnd(part, forms)) : text;
}

function maskEnd(part: string, forms: string[]): string {
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, part.length); length >= SHORTEST; length--) {
      if (part.endsWith(form.slice(0, length))) return part.slice(0, part.length - length) + MASK;
    }
  }
  return part;
}
