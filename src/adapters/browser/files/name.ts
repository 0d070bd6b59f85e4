import { parse } from 'content-disposition';

/** Longest name, characters: file systems take 255 bytes. */
const LONGEST = 120;
/** Characters that some file system does not take, that end a line, or that turn the direction of reading around, which hides an ending. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const UNSAFE = /[\u0000-\u001f\u007f-\u009f<>:"|?*\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** Names of devices on Windows, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** A bare file name out of what a server or a page suggests: no folder, nothing that a file system or a reader stumbles over. */
export function bareName(suggested: string): string | undefined {
  const last =
    suggested
      .split(/[/\\]/)
      .filter((part) => part.trim() !== '')
      .at(-1) ?? '';
  const clean = last
    .normalize('NFC')
    .replace(UNSAFE, '')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .replace(DEVICE, '_$1');
  if (clean === '') return undefined;
  if (clean.length <= LONGEST) return clean;
  const ending = /\.[^.]{1,12}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, LONGEST - ending.length).toWellFormed() + ending;
}

/** What a `Content-Disposition` header says. One that cannot be read says nothing. */
export function readDisposition(header: string | null): { attachment: boolean; name?: string } {
  if (header === null) return { attachment: false };
  try {
    const { type, parameters } = parse(header);
    const name = parameters.filename;
    return { attachment: type.toLowerCase() === 'attachment', ...(name ? { name } : {}) };
  } catch {
    return { attachment: false };
  }
}

/** The name in an address, decoded. */
export function nameInAddress(url: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url)) return '';
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** The first of several suggestions that comes to a name. */
export function fileName(...suggested: (string | undefined)[]): string {
  for (const one of suggested) {
    const name = one === undefined ? undefined : bareName(one);
    if (name !== undefined) return name;
  }
  return 'download';
}

/** A media type without its parameters; what is none is "some bytes". */
export function mediaTypeOf(type: string | null | undefined): string {
  const bare = (type ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  return /^[\w.+-]+\/[\w.+-]+$/.test(bare) ? bare : 'application/octet-stream';
}
