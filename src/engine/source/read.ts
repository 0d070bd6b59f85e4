import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  type YAMLError,
} from 'yaml';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Problem } from '../../model/workflow.ts';
import { EMPTY } from './bytes.ts';
import { tooDeep } from './depth.ts';
import { locateIn, type Position } from './locate.ts';
import { expressionHint, plainMessage } from './messages.ts';

export type { Position } from './locate.ts';

/** A workflow file that was read: its value where there is one, all problems, and where things stand in it. */
export interface Source {
  /** `undefined` when the file has problems. */
  value?: Json;
  problems: Problem[];
  /** Line and column (from 1) of what a JSON pointer names: the key of a member, the start of an item; of the nearest parent where it is not there. */
  locate(pointer: string): Position;
}

/** Longest file that is read, in characters. */
export const MAX_SOURCE = 1024 * 1024;
const MAX_PROBLEMS = 100;
const MAX_DEPTH = 100;

/**
 * Reads a YAML or JSON file of the plain kind that workflows are written in (SPEC §1): one document, text keys, no duplicate keys, tags, anchors,
 * aliases or merge keys, only numbers that JSON can hold. Every fault is a `schema_invalid` with line and column. Never throws.
 * @param options.name file name; one that ends in `.json` must be JSON
 */
export function readWorkflowSource(text: string, options: { name?: string } = {}): Source {
  const lines = new LineCounter();
  const reader = new Reader(text, lines);
  if (text.length > MAX_SOURCE) {
    reader.fail(0, '', `The file is longer than 1 MB (${MAX_SOURCE} characters); make it smaller.`);
    return { problems: reader.problems, locate: () => ({ line: 1, column: 1 }) };
  }
  let document: Document.Parsed | undefined;
  try {
    document = reader.parse();
    if (options.name?.toLowerCase().endsWith('.json')) reader.checkJson();
  } catch {
    reader.fail(0, '', 'The file cannot be read as YAML or JSON.');
  }
  const value = document && reader.problems.length === 0 ? reader.convert(document) : undefined;
  reader.problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return {
    ...(value !== undefined && reader.problems.length === 0 ? { value } : {}),
    problems: reader.problems.slice(0, MAX_PROBLEMS),
    locate: (pointer) => locateIn(document, lines, pointer),
  };
}

class Reader {
  readonly problems: (Problem & Position)[] = [];
  readonly #text: string;
  readonly #lines: LineCounter;

  constructor(text: string, lines: LineCounter) {
    this.#text = text;
    this.#lines = lines;
  }

  fail(offset: number, pointer: string, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.problems.push({
      code: 'schema_invalid',
      severity: 'error',
      message,
      pointer,
      line: Math.max(line, 1),
      column: Math.max(col, 1),
    });
  }

  parse(): Document.Parsed | undefined {
    const zero = this.#text.indexOf('\u0000');
    if (zero !== -1) {
      this.#stopAt(zero, 'Choose another file: this is no text file, it holds zero bytes.');
      return undefined;
    }
    const deep = tooDeep(this.#text, MAX_DEPTH);
    if (deep !== undefined) {
      this.#stopAt(deep, `The file is nested more than ${MAX_DEPTH} levels deep.`);
      return undefined;
    }
    // Duplicate keys are found by the walk: the parser's own search is quadratic (16 s for 20,000 keys).
    const documents = parseAllDocuments(this.#text, {
      lineCounter: this.#lines,
      version: '1.2',
      schema: 'core',
      merge: false,
      uniqueKeys: false,
      strict: true,
      stringKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const [first, second] = documents as Document.Parsed[];
    if (!first) {
      this.fail(0, '', EMPTY);
      return undefined;
    }
    if (second)
      this.fail(second.range[0], '', 'The file holds more than one document ("---"); a workflow is one document.');
    // One fault often makes the parser stumble over the rest of its line; what it says about indentation then tells the least.
    const byLine = new Map<number, YAMLError>();
    for (const error of [...first.errors, ...first.warnings]) {
      const { line } = this.#lines.linePos(error.pos[0]);
      const known = byLine.get(line);
      if (!known || known.code === 'BAD_INDENT') byLine.set(line, error);
    }
    for (const error of byLine.values()) this.#report(error);
    this.#walk(first.contents, '', 0);
    return first;
  }

  /** A fault that keeps the file from being parsed: the lines up to it are counted here. */
  #stopAt(offset: number, message: string): void {
    this.#lines.addNewLine(0);
    for (let at = this.#text.indexOf('\n'); at !== -1 && at < offset; at = this.#text.indexOf('\n', at + 1))
      this.#lines.addNewLine(at + 1);
    this.fail(offset, '', message);
  }

  #report(error: YAMLError): void {
    const offset = error.pos[0];
    const hint = expressionHint(this.#lineAt(offset));
    // Tags, anchors and aliases are reported by the walk, in our words.
    if (error.code === 'TAG_RESOLVE_FAILED') return;
    this.fail(offset, '', `${plainMessage(error.code, error.message)}${hint ? ` ${hint}` : ''}`);
  }

  #lineAt(offset: number): string {
    const start = this.#text.lastIndexOf('\n', offset - 1) + 1;
    const end = this.#text.indexOf('\n', offset);
    return this.#text.slice(start, end === -1 ? undefined : end);
  }

  #walk(node: ParsedNode | null, pointer: string, depth: number): void {
    if (!node) return;
    const offset = node.range[0];
    if (depth > MAX_DEPTH) {
      this.fail(offset, pointer, `The file is nested more than ${MAX_DEPTH} levels deep.`);
      return;
    }
    if (isAlias(node)) {
      this.fail(
        offset,
        pointer,
        `Aliases (*${node.source}) are not allowed; write the value out, or put the text in quotes.`,
      );
      return;
    }
    if (node.anchor !== undefined)
      this.fail(
        offset,
        pointer,
        `Anchors (&${node.anchor}) are not allowed; write the value out, or put the text in quotes.`,
      );
    if (node.tag !== undefined)
      this.fail(offset, pointer, `Tags (${node.tag}) are not allowed; put a text that begins with "!" in quotes.`);
    if (isSeq(node)) {
      node.items.forEach((item, i) => {
        this.#walk(item as ParsedNode, `${pointer}/${i}`, depth + 1);
      });
    } else if (isMap(node)) {
      const seen = new Set<string>();
      for (const pair of node.items)
        this.#pair(pair as { key: ParsedNode; value: ParsedNode | null }, pointer, depth, seen);
    } else this.#number(node.value, offset, pointer, node.source);
  }

  #pair(pair: { key: ParsedNode; value: ParsedNode | null }, pointer: string, depth: number, seen: Set<string>): void {
    const { key, value } = pair;
    const offset = key.range[0];
    if (!isScalar(key)) {
      const hint = expressionHint(this.#lineAt(offset));
      this.fail(
        offset,
        pointer,
        isAlias(key)
          ? `Aliases (*${key.source}) are not allowed; put the text in quotes.`
          : `A key must be text. ${hint ?? 'Put it in quotes.'}`,
      );
      return;
    }
    if (key.anchor !== undefined)
      this.fail(offset, pointer, `Anchors (&${key.anchor}) are not allowed; put the text in quotes.`);
    if (key.tag !== undefined) this.fail(offset, pointer, `Tags (${key.tag}) are not allowed; put the text in quotes.`);
    if (typeof key.value !== 'string') {
      this.fail(offset, pointer, `A key must be text, found ${key.source}; put it in quotes.`);
      return;
    }
    if (seen.has(key.value))
      this.fail(
        offset,
        `${pointer}/${escapePointer(key.value)}`,
        `The key "${key.value.slice(0, 80)}" is there twice; keep one of them.`,
      );
    seen.add(key.value);
    if (key.value === '__proto__') this.fail(offset, pointer, 'The key "__proto__" is not allowed.');
    if (key.value === '<<' && key.type === 'PLAIN')
      this.fail(offset, pointer, 'Merge keys (<<) are not allowed; write the members out.');
    this.#walk(value, `${pointer}/${escapePointer(key.value)}`, depth + 1);
  }

  #number(value: unknown, offset: number, pointer: string, source: string): void {
    if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) {
      this.fail(offset, pointer, `${source} is not a number that JSON can hold; put it in quotes to keep it as text.`);
    } else if (
      typeof value === 'number' &&
      Number.isInteger(value) &&
      !Number.isSafeInteger(value) &&
      /^[-+]?\d+$/.test(source)
    ) {
      this.fail(offset, pointer, `${source} is too large to be kept exactly; put it in quotes to keep it as text.`);
    }
  }

  /** Says where a file that is called JSON is none; YAML's grammar is wider. */
  checkJson(): void {
    if (this.problems.length > 0) return;
    try {
      JSON.parse(this.#text.replace(/^\uFEFF/, ''));
    } catch (error) {
      const at = /position (\d+)/.exec((error as Error).message);
      this.fail(at ? Number(at[1]) : 0, '', 'The file is not JSON; correct it here, or name it .yaml.');
    }
  }

  convert(document: Document.Parsed): Json {
    return toValue(document.contents);
  }
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

function toValue(node: ParsedNode | null): Json {
  if (!node) return null;
  if (isSeq(node)) return node.items.map((item) => toValue(item as ParsedNode));
  if (isMap(node)) {
    const object: JsonObject = {};
    for (const { key, value } of node.items)
      object[(key as Scalar<string>).value] = toValue(value as ParsedNode | null);
    return object;
  }
  // Aliases were refused by the walk. -0 has no form of its own in canonical JSON.
  const { value } = node as Scalar<Json>;
  return value === 0 ? 0 : value;
}
