import type { TargetDefinition } from '../../describe.ts';
import { childrenOf, closest, elementsIn, flatChildren, matches as isA, type Root, rootsIn } from '../dom.ts';
import { PageError } from '../env.ts';
import { labelsOf, nameOf } from '../name.ts';
import { elementOf } from '../refs.ts';
import { isEditingHost, roleOf } from '../role.ts';
import { fits, textOf } from '../text.ts';

type Scope = Root | Element;

/** All elements in a scope that fit one target, hidden ones too, in document order within each tree. `within` and `nth` are not looked at. */
export function matches(target: TargetDefinition, scope: Scope): Element[] {
  if (target.ref !== undefined) return [elementOf(target.ref)];
  if (target.role !== undefined) return byRole(scope, target.role, target.name, target.exact);
  if (target.label !== undefined) return byLabel(scope, target.label, target.exact);
  if (target.text !== undefined) return byText(scope, target.text, target.exact);
  if (target.placeholder !== undefined) return byPlaceholder(scope, target.placeholder, target.exact);
  if (target.testId !== undefined) return byTestId(scope, target.testId);
  if (target.css !== undefined) return byCss(scope, target.css);
  return byXPath(scope, target.xpath ?? '');
}

function byRole(scope: Scope, role: string, name: string | undefined, exact: boolean | undefined): Element[] {
  const wanted = role === 'image' ? 'img' : role;
  const found: Element[] = [];
  for (const element of elementsIn(scope)) {
    if (roleOf(element) !== wanted || isHiddenFromAll(element)) continue;
    if (name === undefined || fits(nameOf(element), name, exact)) found.push(element);
  }
  return found;
}

/** `aria-hidden` content has no role, wherever it is drawn. */
function isHiddenFromAll(element: Element): boolean {
  return closest(element, '[aria-hidden="true"]') !== null;
}

const LABELABLE =
  'input:not([type="hidden"]), textarea, select, button, meter, output, progress, [aria-label], [aria-labelledby]';

function byLabel(scope: Scope, label: string, exact: boolean | undefined): Element[] {
  const found: Element[] = [];
  for (const element of elementsIn(scope)) {
    if (!isA(element, LABELABLE) && !isEditingHost(element) && !element.localName.includes('-')) continue;
    if (labelsOf(element).some((text) => fits(text, label, exact))) found.push(element);
  }
  return found;
}

/** The innermost elements whose text fits. */
function byText(scope: Scope, wanted: string, exact: boolean | undefined): Element[] {
  const found: Element[] = [];
  const visit = (element: Element): boolean => {
    const text = textOf(element);
    // A part must be there to be whole further in; so a subtree without it is left at once.
    if (!(exact ? fitsPart(text, wanted) : fits(text, wanted, false))) return false;
    let inner = false;
    for (const child of flatChildren(element)) if (child instanceof Element && visit(child)) inner = true;
    if (!inner && fits(text, wanted, exact)) {
      found.push(element);
      return true;
    }
    return inner;
  };
  const starts = scope instanceof Element ? [scope] : childrenOf(scope);
  for (const start of starts) visit(start);
  return found;
}

function fitsPart(text: string, wanted: string): boolean {
  return text.replace(/\s+/g, ' ').includes(wanted.replace(/\s+/g, ' ').trim());
}

function byPlaceholder(scope: Scope, wanted: string, exact: boolean | undefined): Element[] {
  return query(scope, '[placeholder], [aria-placeholder]').filter((element) =>
    fits(element.getAttribute('placeholder') ?? element.getAttribute('aria-placeholder') ?? '', wanted, exact),
  );
}

const TEST_IDS = ['data-testid', 'data-test-id', 'data-test'];

function byTestId(scope: Scope, wanted: string): Element[] {
  const all = query(scope, TEST_IDS.map((name) => `[${name}]`).join(', '));
  return all.filter((element) => TEST_IDS.some((name) => element.getAttribute(name) === wanted));
}

function byCss(scope: Scope, selector: string): Element[] {
  try {
    return query(scope, selector);
  } catch {
    throw new PageError('input_invalid', `Correct the CSS selector "${selector}": the browser cannot read it.`);
  }
}

/** `querySelectorAll` in the scope and in every shadow tree in it. */
function query(scope: Scope, selector: string): Element[] {
  return rootsIn(scope).flatMap((root) => [...root.querySelectorAll(selector)]);
}

function byXPath(scope: Scope, xpath: string): Element[] {
  // XPath knows no shadow root as context: there it is asked of each child, `//` made relative.
  const relative = xpath.startsWith('/') ? `.${xpath}` : xpath;
  const contexts = rootsIn(scope).flatMap((root): [Node, string][] =>
    root instanceof ShadowRoot
      ? [...root.children].map((child): [Node, string] => [
          child,
          relative.replace(/^\.\/\/(?=[\w*])/, 'descendant-or-self::'),
        ])
      : [[root, root instanceof Document ? xpath : relative]],
  );
  const found = new Set<Element>();
  try {
    for (const [context, expression] of contexts) {
      const result = document.evaluate(expression, context, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
      for (let i = 0; i < result.snapshotLength; i++) {
        const node = result.snapshotItem(i);
        if (node instanceof Element) found.add(node);
      }
    }
  } catch {
    throw new PageError('input_invalid', `Correct the XPath "${xpath}": the browser cannot read it.`);
  }
  return [...found];
}
