import type { KnowledgeSource } from '../../model/knowledge.ts';

type Kind = KnowledgeSource['kind'];

const BY_ENDING: Record<string, Kind> = {
  txt: 'text',
  text: 'text',
  log: 'text',
  json: 'text',
  yaml: 'text',
  yml: 'text',
  rst: 'text',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  csv: 'csv',
  tsv: 'csv',
  pdf: 'pdf',
};
const BY_TYPE: Record<string, Kind> = {
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/pdf': 'pdf',
};

/** For the choice of files. */
export const ACCEPTED = Object.keys(BY_ENDING)
  .map((ending) => `.${ending}`)
  .join(',');

/** What kind of document a file is, by its name and else by its media type; `undefined` for what is not read. */
export function kindOf(name: string, mediaType = ''): Kind | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  const byEnding = ending !== undefined && Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
  if (byEnding) return byEnding;
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (Object.hasOwn(BY_TYPE, type)) return BY_TYPE[type];
  return type.startsWith('text/') ? 'text' : undefined;
}

/**
 * The text of a file: UTF-8 or UTF-16 with its mark, UTF-8 without one, and else Windows-1252, which every sequence of bytes is.
 * `undefined` for what is no text.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  const text = marked
    ? new TextDecoder(marked).decode(bytes)
    : (utf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes));
  return text.includes('\u0000') ? undefined : text;
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A title for a document: its own first heading where there is one near its beginning, else the name of its file. */
export function titleOf(content: string, name: string): string {
  const heading = /^#\s+(\S.*)$/m.exec(content.slice(0, 2000))?.[1]?.replace(/\s#+\s*$/, '');
  const file = name.slice(name.lastIndexOf('/') + 1).replace(/\.[A-Za-z0-9]{1,8}$/, '');
  return cut((heading ?? '').trim() || file.trim() || name);
}

/** A text that fits where a title goes, on one line. */
export function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`;
}
