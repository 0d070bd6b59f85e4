/** Sentences for the faults that the YAML parser finds, by its codes. */
const SENTENCES: Record<string, string> = {
  BLOCK_AS_IMPLICIT_KEY: 'A ": " inside a text, or a list or object where a simple value is due.',
  BAD_INDENT: 'The indentation does not fit the lines around it.',
  TAB_AS_INDENT: 'Indentation must be spaces, not tabs.',
  MISSING_CHAR: 'A closing quote, bracket or brace, or a comma, is missing here.',
  BAD_SCALAR_START: 'A text cannot begin with this character unless it is in quotes.',
  MULTILINE_IMPLICIT_KEY: 'A key must stand on one line; is a quote or a ":" missing?',
  UNEXPECTED_TOKEN: 'This does not belong here.',
  BAD_ALIAS: 'Aliases (*name) are not allowed; put a text that begins with "*" in quotes.',
  MULTIPLE_ANCHORS: 'Anchors (&name) are not allowed; put the text in quotes.',
  MULTIPLE_TAGS: 'Tags (!name) are not allowed; put the text in quotes.',
};

/** One sentence for a fault of the YAML parser. */
export function plainMessage(code: string, message: string): string {
  const end = /must be sufficiently indented and end with a (.)/.exec(message);
  if (end) return `A "${end[1]}" is missing, or the text before it is indented too little.`;
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  return `${message.replace(/\n[\s\S]*/, '').replace(/[.:]$/, '')}.`;
}

const HINT = 'Put the expression in quotes.';

/**
 * Advice for a line in which an unquoted expression seems to have broken the YAML: `a ? b : c`, `{{x}}`, `!x`, `[0]`, `&&`, `"a" == b`.
 * `undefined` where the line looks like nothing of the kind.
 */
export function expressionHint(line: string): string | undefined {
  const value = line.replace(/^\s*(?:- )?\s*(?:[\w-]+\s*:\s+)?/, '');
  if (/^(["']).*\1\s*,?\s*\}?\s*$/.test(value) && !value.slice(1).includes(`${value[0]} `)) return undefined;
  const bare = line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g, '""');
  const looks =
    bare.includes('{{') ||
    /\s\?\s.*\s:\s/.test(bare) ||
    /(?:^|[:\s[{,(])!\s*[A-Za-z_(]/.test(bare) ||
    /(?:\w\[\d+\]|:\s*\[\d+\]\S|\w\[""\])/.test(bare) ||
    /\s(?:&&|\|\||==|!=|>=|<=)\s/.test(bare);
  return looks ? HINT : undefined;
}
