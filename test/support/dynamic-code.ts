import { parseAst } from 'vite';

/** One place in a script where text could become code. */
export interface DynamicCode {
  what: string;
  /** The script around it. */
  near: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/**
 * Places in a script where text could become code: `eval`, `Function` called or made, a constructor called with a text, timers with a text,
 * `import()` of what is not a path written out, and code put into a page by a script element or an inline handler.
 * @throws SyntaxError when it is no script
 */
export function dynamicCodeIn(source: string): DynamicCode[] {
  const found: DynamicCode[] = [];
  const report = (what: string, node: Node): void => {
    found.push({ what, near: source.slice(Math.max(0, node.start - 60), node.start + 100) });
  };
  walk(parseAst(source, { lang: 'js' }) as unknown as Node, (node, parent) => {
    if (node.type === 'Identifier' && (node.name === 'eval' || node.name === 'Function') && isValue(node, parent))
      report(String(node.name), node);
    if (node.type === 'ImportExpression' && !isLocal(node.source as Node))
      report('import() of something computed', node);
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const callee = node.callee as Node;
    const [first] = (node.arguments as Node[]) ?? [];
    const name = nameOf(callee);
    if (['setTimeout', 'setInterval', 'setImmediate', 'execScript'].includes(name ?? '') && first && isText(first))
      report(`${name} of a text`, node);
    if (name === 'constructor' && first && isText(first)) report('a constructor of a text', node);
    if (name === 'importScripts') report('importScripts', node);
    if (name === 'createElement' && first && isText(first) && textOf(first)?.toLowerCase() === 'script')
      report('a script element', node);
  });
  return found;
}

/** Whether an identifier stands for the global function, and is not just asked about or the name of something else. */
function isValue(node: Node, parent: Node | undefined): boolean {
  if (!parent) return true;
  // `x.Function`, `{ Function: 1 }`, a method of that name: something else. `Function.prototype` only looks.
  if (parent.type === 'MemberExpression')
    return parent.object === node ? nameOf(parent) !== 'prototype' : parent.computed === true;
  if (['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent.type))
    return parent.key !== node || parent.computed === true;
  // `typeof Function`, `x instanceof Function`, `x === Function`: comparisons.
  if (parent.type === 'UnaryExpression') return parent.operator !== 'typeof';
  if (parent.type === 'BinaryExpression') return false;
  return parent.type !== 'SwitchCase';
}

function nameOf(callee: Node | undefined): string | undefined {
  if (!callee) return undefined;
  if (callee.type === 'Identifier') return String(callee.name);
  if (callee.type === 'ChainExpression') return nameOf(callee.expression as Node);
  if (callee.type !== 'MemberExpression') return undefined;
  const property = callee.property as Node;
  return property.type === 'Identifier' && callee.computed !== true
    ? String(property.name)
    : isText(property)
      ? String(property.value)
      : undefined;
}

function isText(node: Node): boolean {
  return (node.type === 'Literal' && typeof node.value === 'string') || node.type === 'TemplateLiteral';
}

/** A module of the build itself, by a path that is written out. */
function isLocal(node: Node): boolean {
  const text = textOf(node);
  return text !== undefined && /^\.{0,2}\//.test(text) && !text.startsWith('//');
}

/** A text that is written out, in quotes or back-quotes. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral' || (node.expressions as Node[]).length > 0) return undefined;
  return (node.quasis as { value: { cooked?: string } }[])[0]?.value.cooked;
}

function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void): void {
  const stack: { node: Node; parent: Node | undefined }[] = [{ node, parent: undefined }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node: here, parent } = next;
    visit(here, parent);
    for (const value of Object.values(here)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (typeof one === 'object' && one !== null && typeof (one as Node).type === 'string')
          stack.push({ node: one as Node, parent: here });
      }
    }
  }
}
