import { z } from '../model/zod.ts';
import { defineOperation } from './define.ts';
import { type HtmlElement, type HtmlNode, parseHtml } from './html-tree.ts';

export const htmlToMarkdown = defineOperation({
  id: 'html.to_markdown',
  summary:
    'Turns HTML into Markdown: headings, lists, tables, links, code, emphasis. Scripts, styles and hidden elements are left out.',
  args: z.strictObject({ html: z.string() }),
  output: 'text',
  work: ({ html }) => blocks(parseHtml(html).children).join('\n\n'),
});

const LEFT_OUT = new Set([
  'script',
  'style',
  'head',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'canvas',
  'math',
  'select',
  'input',
  'textarea',
]);
const BLOCKS = new Set([
  'address',
  'article',
  'aside',
  'blockquote',
  'body',
  'center',
  'dd',
  'details',
  'dialog',
  'div',
  'dl',
  'dt',
  'fieldset',
  'figcaption',
  'figure',
  'footer',
  'form',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hr',
  'html',
  'li',
  'main',
  'nav',
  'ol',
  'p',
  'pre',
  'section',
  'summary',
  'table',
  'ul',
]);

function leftOut(node: HtmlElement): boolean {
  return (
    LEFT_OUT.has(node.name) ||
    node.attributes.has('hidden') ||
    /display\s*:\s*none/i.test(node.attributes.get('style') ?? '')
  );
}

function holdsBlock(node: HtmlNode): boolean {
  return typeof node !== 'string' && !leftOut(node) && (BLOCKS.has(node.name) || node.children.some(holdsBlock));
}

/** Paragraphs, lists and so on, each without the empty line around it. */
function blocks(nodes: readonly HtmlNode[]): string[] {
  const out: string[] = [];
  let run: HtmlNode[] = [];
  const flush = (): void => {
    const text = paragraph(run);
    if (text !== '') out.push(text);
    run = [];
  };
  for (const node of nodes) {
    if (typeof node === 'string' || !holdsBlock(node)) run.push(node);
    else {
      flush();
      out.push(...block(node));
    }
  }
  flush();
  return out;
}

function block(node: HtmlElement): string[] {
  const heading = /^h([1-6])$/.exec(node.name);
  if (heading) {
    const text = inline(node.children)
      .replace(/\s*\n\s*/g, ' ')
      .trim();
    return text === '' ? [] : [`${'#'.repeat(Number(heading[1]))} ${text}`];
  }
  switch (node.name) {
    case 'hr':
      return ['---'];
    case 'pre':
      return [fenced(node)];
    case 'blockquote': {
      const inner = blocks(node.children).join('\n\n');
      return inner === '' ? [] : [inner.replace(/^/gm, '> ').replace(/^> $/gm, '>')];
    }
    case 'ul':
    case 'ol':
      return list(node);
    case 'table':
      return table(node);
    default:
      return blocks(node.children);
  }
}

function paragraph(nodes: readonly HtmlNode[]): string {
  return inline(nodes)
    .replace(/[ \t]*\n[ \t]*/g, '\n')
    .trim()
    .replace(/^(#{1,6}\s|[-+](?=\s)|>|\d+(?=[.)]\s))/gm, (start) => (/^\d/.test(start) ? `${start}\\` : `\\${start}`));
}

function list(node: HtmlElement): string[] {
  const items = node.children.filter((child): child is HtmlElement => typeof child !== 'string' && !leftOut(child));
  let number = Number.parseInt(node.attributes.get('start') ?? '1', 10) || 1;
  const lines: string[] = [];
  for (const item of items) {
    const parts = item.name === 'li' ? blocks(item.children) : block(item);
    if (parts.length === 0) continue;
    const mark = node.name === 'ol' ? `${number}. ` : '- ';
    number += 1;
    const simple = parts.every((part, i) => i === 0 || /^(?:- |\d+\. )/.test(part));
    lines.push(mark + parts.join(simple ? '\n' : '\n\n').replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`));
  }
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function rows(node: HtmlElement): HtmlElement[] {
  return node.children.flatMap((child) => {
    if (typeof child === 'string' || leftOut(child)) return [];
    if (child.name === 'tr') return [child];
    return ['thead', 'tbody', 'tfoot'].includes(child.name) ? rows(child) : [];
  });
}

function table(node: HtmlElement): string[] {
  const cells = rows(node).map((row) =>
    row.children
      .filter(
        (child): child is HtmlElement => typeof child !== 'string' && (child.name === 'td' || child.name === 'th'),
      )
      .map((cell) =>
        blocks(cell.children)
          .join(' ')
          .replace(/\s*\n\s*/g, ' ')
          .replaceAll('|', '\\|'),
      ),
  );
  const width = Math.max(0, ...cells.map((row) => row.length));
  const [head, ...body] = cells;
  if (!head || width === 0) return [];
  const line = (row: string[]): string => `| ${Array.from({ length: width }, (_, i) => row[i] ?? '').join(' | ')} |`;
  return [[line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n')];
}

function rawText(nodes: readonly HtmlNode[]): string {
  return nodes
    .map((node) => (typeof node === 'string' ? node : node.name === 'br' ? '\n' : rawText(node.children)))
    .join('');
}

function fenced(node: HtmlElement): string {
  const text = rawText(node.children).replace(/^\n|\n$/g, '');
  const code = node.children.find((child): child is HtmlElement => typeof child !== 'string' && child.name === 'code');
  const language = /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(code?.attributes.get('class') ?? '')?.[1] ?? '';
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A run of back-quotes longer than any in the text. */
function fenceFor(text: string, least: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(Math.max(least, longest + 1));
}

/** Text of a paragraph, white space folded; `\n` only for breaks. */
function inline(nodes: readonly HtmlNode[]): string {
  return nodes
    .map(inlineOne)
    .join('')
    .replace(/[ \t]{2,}/g, ' ');
}

function inlineOne(node: HtmlNode): string {
  if (typeof node === 'string') return escapeText(node.replace(/[\s\u00a0]+/g, ' '));
  if (leftOut(node)) return '';
  switch (node.name) {
    case 'br':
      return '\\\n';
    case 'strong':
    case 'b':
      return wrapped(node, '**');
    case 'em':
    case 'i':
      return wrapped(node, '*');
    case 'del':
    case 's':
      return wrapped(node, '~~');
    case 'code':
    case 'kbd':
    case 'samp':
      return codeSpan(rawText(node.children).replace(/\s+/g, ' '));
    case 'a':
      return link(node);
    case 'img':
      return image(node);
    default:
      return inline(node.children);
  }
}

function wrapped(node: HtmlElement, mark: string): string {
  const text = inline(node.children);
  const inner = text.trim();
  if (inner === '') return text;
  return `${text.startsWith(' ') ? ' ' : ''}${mark}${inner}${mark}${text.endsWith(' ') ? ' ' : ''}`;
}

function codeSpan(text: string): string {
  if (text.trim() === '') return text;
  const fence = fenceFor(text, 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** The address where it is one that may be followed; scripts and embedded data are dropped. */
function address(value: string | undefined): string | undefined {
  const url = [...(value ?? '').trim().replaceAll(' ', '%20')].filter((char) => char > ' ').join('');
  if (url === '' || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(https?|mailto|tel):/i.test(url))) return undefined;
  return url.replace(/[()<>\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function link(node: HtmlElement): string {
  const text = inline(node.children);
  const url = address(node.attributes.get('href'));
  return url === undefined || text.trim() === '' ? text : `[${text.trim()}](${url})`;
}

function image(node: HtmlElement): string {
  const url = address(node.attributes.get('src'));
  const alt = escapeText((node.attributes.get('alt') ?? '').replace(/\s+/g, ' ').trim());
  return url === undefined ? alt : `![${alt}](${url})`;
}

/** Keeps text from being read as marks. `_` inside a word is none. */
function escapeText(text: string): string {
  return text.replace(/[\\`*[\]<]/g, '\\$&').replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}
