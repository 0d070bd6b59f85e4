import { toMarkdown } from '../../src/actions/page/article/markdown.ts';
import type { DocumentDraft } from '../../src/app/protocol.ts';
import { MAX_CONTENT } from '../../src/model/knowledge-file.ts';
import { cut, decodeText, kindOf, titleOf } from '../../src/view/documents/kinds.ts';
import { tableText } from '../../src/view/documents/table.ts';

/** Largest file that is read, in bytes. */
const MAX_FILE = 50 * 1024 * 1024;
/** What of a page of HTML is no text of it. */
const NO_TEXT =
  'script, style, noscript, template, head, iframe, object, embed, svg, canvas, input, select, button, textarea, dialog';

export type ReadProblem = 'type' | 'empty' | 'large' | 'noText' | 'locked' | 'damaged' | 'unreadable';

/** A file and where it stands in its folder. */
export interface NamedFile {
  name: string;
  file: Blob;
}

type Read = { draft: Omit<DocumentDraft, 'collections'> } | { problem: ReadProblem };

/** Makes a document of a file. Never rejects: what cannot be read says why. */
export async function readFile({ name, file }: NamedFile): Promise<Read> {
  const kind = kindOf(name, file.type);
  if (!kind) return { problem: 'type' };
  if (file.size > MAX_FILE) return { problem: 'large' };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const source = { kind, name };
    if (kind === 'pdf') {
      // Large, and most people never need it.
      const { readPdf } = await import('./read-pdf.ts');
      const read = await readPdf(bytes);
      if ('problem' in read) return read;
      return checked({ title: cut(read.title) || titleOf('', name), content: read.content, source });
    }
    const text = decodeText(bytes);
    if (text === undefined) return { problem: 'type' };
    if (kind === 'html') {
      const { title, content } = readHtml(text);
      return checked({ title: cut(title) || titleOf(content, name), content, source });
    }
    const content = kind === 'csv' ? tableText(text) : text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
    return checked({ title: titleOf(kind === 'markdown' ? content : '', name), content, source });
  } catch {
    return { problem: 'unreadable' };
  }
}

/** A document that was typed or pasted. */
export function readPasted(title: string, text: string): Read {
  const content = text.replace(/\r\n?/g, '\n');
  const source = { kind: /^#{1,6}\s/m.test(content) ? ('markdown' as const) : ('text' as const) };
  return checked({ title: cut(title) || titleOf(content, content.trim().split('\n')[0] ?? ''), content, source });
}

/** Checks a draft and gives it back, or why it is none. */
export function checked(draft: Omit<DocumentDraft, 'collections'>): Read {
  if (draft.content.trim() === '') return { problem: 'empty' };
  return draft.content.length > MAX_CONTENT ? { problem: 'large' } : { draft };
}

/** The text of a page of HTML as Markdown. It is parsed into a document that does nothing: no script runs and nothing is loaded. */
function readHtml(html: string): { title: string; content: string } {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const title = page.title || (page.querySelector('h1')?.textContent ?? '');
  for (const part of page.querySelectorAll(NO_TEXT)) part.remove();
  return { title, content: toMarkdown(page.body, MAX_CONTENT) };
}
