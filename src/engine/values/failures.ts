import { TabloomError } from '../../model/errors.ts';

/** Where a text stands: the step's path (empty for the workflow itself) and the field in it, as people write it (`input.rows[0]`). */
export interface Where {
  step: string;
  field: string;
}

/** A part of a path is not there. `path` is the first missing part, as it is written in the template. */
export class MissingValue extends Error {
  readonly path: string;
  constructor(path: string) {
    super(`${path} is not there`);
    this.path = path;
  }
}

/** An expression that was read but cannot be worked out for these values (`1 + true`, a division by zero). */
export class EvaluationFailure extends Error {}

/** A text that cannot be read as a path or an expression. `at` is an offset into the expression. */
export class SyntaxFailure extends Error {
  readonly at: number | undefined;
  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** `In step "grade", field input.line` or `In output.total`, the start of every sentence about a template. */
export function place(where: Where): string {
  return where.step === '' ? `In ${where.field}` : `In step "${where.step}", field ${where.field}`;
}

/** Makes a `TabloomError` of one of the failures above; anything else is handed back as it is. */
export function located(error: unknown, where: Where, text: string, kind: 'template' | 'condition'): unknown {
  const more = { ...(where.step === '' ? {} : { step: where.step }), field: where.field };
  if (error instanceof MissingValue) {
    const hint = dashHint(text);
    return new TabloomError(
      'template_unresolved',
      `${place(where)}: ${error.path} is not there; correct the name, or allow for it with has(${error.path}).${hint ? ` ${hint}` : ''}`,
      { ...more, path: error.path, details: { missing: true } },
    );
  }
  const invalid = kind === 'condition' ? 'condition_invalid' : 'template_invalid';
  if (error instanceof SyntaxFailure) {
    return new TabloomError(invalid, `${place(where)}: "${short(text)}" cannot be read: ${error.message}`, {
      ...more,
      path: short(text),
    });
  }
  if (error instanceof EvaluationFailure) {
    const code = kind === 'condition' ? 'condition_invalid' : 'template_unresolved';
    return new TabloomError(code, `${place(where)}: "${short(text)}" cannot be worked out: ${error.message}`, {
      ...more,
      path: short(text),
    });
  }
  return error;
}

/** At most 120 characters of a text, for messages. */
export function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const DASHED =
  /\b(step|status|loop|workflow_input|loop_item|trigger|input|value)\.((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*(?:-[A-Za-z_]\w*)+)/;
const WORD = /\b([A-Za-z_]\w*(?:\.\w+)*)\.(in|true|false|null)\b/;

/**
 * What to write instead, where an expression seems to use a name with `-`, or one that is a CEL word, without quotes
 * (`step.my-step.text == "x"` subtracts). `undefined` where there is nothing to say.
 */
export function dashHint(expression: string): string | undefined {
  // A whole path needs no quotes.
  if (/^[\w.[\]-]+$/.test(expression)) return undefined;
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  const dashed = DASHED.exec(bare);
  if (dashed) {
    const before = `${dashed[1]}${dashed[2] ? `.${dashed[2].slice(0, -1)}` : ''}`;
    return `In an expression a name with "-" is written ${before}["${dashed[3]}"].`;
  }
  const word = WORD.exec(bare);
  return word ? `In an expression the name "${word[2]}" is written ${word[1]}["${word[2]}"].` : undefined;
}
