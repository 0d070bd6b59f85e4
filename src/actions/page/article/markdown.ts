import TurndownService from 'turndown';

/** Longer articles are cut, characters. */
const LONGEST = 200_000;

/**
 * Markdown of an element of an inert document. There is no HTML in it but as text; links are `http`, `https` and `mailto` only.
 * What is longer than `longest` characters (200,000 for an article) is cut at the end of a paragraph, and says so.
 */
export function toMarkdown(element: Element, longest = LONGEST): string {
  const text = service()
    .turndown(element as HTMLElement)
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  if (text.length <= longest) return text;
  const part = text.slice(0, longest);
  const end = part.lastIndexOf('\n\n');
  const kept = end > longest / 2 ? part.slice(0, end) : part;
  return `${kept}\n\n… (${text.length - kept.length} more characters)`;
}

function service(): TurndownService {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '_',
    hr: '---',
  });
  const usual = turndown.escape.bind(turndown);
  // A `<` of the page's text would begin an element.
  turndown.escape = (text) => usual(text).replace(/</g, '\\<');
  turndown.addRule('link', {
    filter: (node) => node.nodeName === 'A',
    replacement: (content, node) => {
      const href = (node as Element).getAttribute('href');
      const words = content.trim();
      if (!href || !/^(https?:|mailto:)/i.test(href) || words === '') return content;
      // A link around blocks stays a link: its text is written in one line.
      return `[${words.replace(/\s*\n\s*/g, ' ')}](${target(href)})`;
    },
  });
  turndown.addRule('image', {
    filter: 'img',
    replacement: (_content, node) => {
      const src = (node as Element).getAttribute('src') ?? '';
      const alt = ((node as Element).getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
      return /^https?:/i.test(src) ? `![${turndown.escape(alt)}](${target(src)})` : '';
    },
  });
  turndown.addRule('struck', {
    filter: ['del', 's'],
    replacement: (content) => (content.trim() ? `~~${content}~~` : ''),
  });
  turndown.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s*\n+\s*/g, ' ')
        .replace(/(?<!\\)\|/g, '\\|')} |`,
  });
  turndown.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      const row = node as HTMLTableRowElement;
      const table = row.closest('table');
      if (isNested(row)) return ` ${content} `;
      const cells = row.cells.length;
      const first = table?.querySelector('tr') === row;
      const rule = `|${' --- |'.repeat(cells)}`;
      const headed = first && [...row.cells].every((cell) => cell.localName === 'th');
      const named = first && (headed || row.parentElement?.localName === 'thead');
      if (named) return `|${content}\n${rule}\n`;
      // Markdown has no table without a header.
      return first ? `|${'  |'.repeat(cells)}\n${rule}\n|${content}\n` : `|${content}\n`;
    },
  });
  turndown.addRule('table', {
    filter: ['table', 'tbody', 'thead', 'tfoot'],
    replacement: (content, node) =>
      (node as Element).localName === 'table' && !isNested(node as Element) ? `\n\n${content}\n\n` : content,
  });
  turndown.addRule('caption', { filter: 'caption', replacement: (content) => `\n\n${content}\n\n` });
  return turndown;
}

/** In a table that is itself in a cell of another. */
function isNested(element: Element): boolean {
  return element.closest('table')?.parentElement?.closest('table') != null;
}

/** An address in round brackets. */
function target(address: string): string {
  return address.replace(/[()<>\s\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
