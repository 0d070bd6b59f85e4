import { env } from './env.ts';

/** Elements other than custom ones that may hold a shadow root (https://dom.spec.whatwg.org/#valid-shadow-host-name). */
const HOSTS = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

export type Root = Document | ShadowRoot;

/**
 * A property as the browser has it. A form gives its fields under their names in place of its own properties, in our world too: one for
 * the number of `children` is common.
 */
function own<T>(node: Node, name: keyof HTMLFormElement): T {
  if (!(node instanceof HTMLFormElement)) return (node as HTMLFormElement)[name] as T;
  for (let holder = HTMLFormElement.prototype as object | null; holder; holder = Object.getPrototypeOf(holder)) {
    const found = Object.getOwnPropertyDescriptor(holder, name);
    if (found) return (found.get ? found.get.call(node) : found.value) as T;
  }
  return undefined as T;
}

/** Child elements, also of a form that has a field of that name; so are all below. */
export function childrenOf(holder: ParentNode): Element[] {
  return [...(holder instanceof HTMLFormElement ? own<HTMLCollection>(holder, 'children') : holder.children)];
}

export function parentElementOf(node: Node): Element | null {
  return own<Element | null>(node, 'parentElement');
}

export function matches(element: Element, selector: string): boolean {
  return Element.prototype.matches.call(element, selector);
}

export function closest(element: Element, selector: string): Element | null {
  return Element.prototype.closest.call(element, selector);
}

/** Shadow root of an element, open or closed; null where there is none. */
export function shadowOf(element: Element): ShadowRoot | null {
  if (!(element instanceof HTMLElement)) return null;
  const name = own<string>(element, 'localName');
  if (!HOSTS.has(name) && !name.includes('-')) return null;
  return env().shadowRoot(element);
}

/** Parent in the tree as it is drawn: over slots and shadow roots. */
export function flatParent(node: Node): Element | null {
  const form = node instanceof HTMLFormElement;
  const slot = form ? own<Element | null>(node, 'assignedSlot') : ((node as Partial<Element>).assignedSlot ?? null);
  if (slot) return slot;
  const parent = form ? own<Node | null>(node, 'parentNode') : node.parentNode;
  if (parent instanceof Element) return parent;
  return parent instanceof ShadowRoot ? parent.host : null;
}

/** Children in the tree as it is drawn: a host shows its shadow tree, a slot what was put into it. */
export function flatChildren(element: Element): Node[] {
  const shadow = shadowOf(element);
  if (shadow) return [...shadow.childNodes];
  if (element instanceof HTMLSlotElement) {
    const given = element.assignedNodes();
    return given.length > 0 ? given : [...element.childNodes];
  }
  return [...own<NodeList>(element, 'childNodes')];
}

/** True when `inner` is `outer` or drawn inside it. */
export function isInside(inner: Node, outer: Element): boolean {
  for (let node: Node | null = inner; node; node = flatParent(node)) if (node === outer) return true;
  return false;
}

/** All elements below a root or element (itself not counted), shadow trees before the light children. */
export function* elementsIn(scope: Root | Element): Generator<Element> {
  const shadow = scope instanceof Element ? shadowOf(scope) : null;
  if (shadow) yield* elementsIn(shadow);
  for (const child of childrenOf(scope)) {
    yield child;
    yield* elementsIn(child);
  }
}

/** The scope itself and every shadow root inside it. */
export function rootsIn(scope: Root | Element): (Root | Element)[] {
  const roots: (Root | Element)[] = [scope];
  const own = scope instanceof Element ? shadowOf(scope) : null;
  if (own) roots.push(...rootsIn(own));
  for (const element of scope.querySelectorAll('*')) {
    const shadow = shadowOf(element);
    if (shadow) roots.push(...rootsIn(shadow));
  }
  return roots;
}

/** The innermost element drawn at a point of the viewport. */
export function elementAt(x: number, y: number): Element | null {
  let hit = document.elementFromPoint(x, y);
  for (let shadow = hit && shadowOf(hit); shadow; shadow = hit && shadowOf(hit)) {
    const inner = shadow.elementFromPoint(x, y);
    if (!inner || inner === hit || inner.getRootNode() !== shadow) break;
    hit = inner;
  }
  return hit;
}

/** The focused element, through shadow roots. */
export function focusedElement(): Element | null {
  let active = document.activeElement;
  for (let shadow = active && shadowOf(active); shadow?.activeElement; shadow = active && shadowOf(active)) {
    active = shadow.activeElement;
  }
  return active;
}

/** The label element around or before a control's text, and the control that it names. */
export function controlOf(element: Element): HTMLElement | null {
  for (let node: Element | null = element; node; node = flatParent(node)) {
    if (node instanceof HTMLLabelElement) return node.control;
  }
  return null;
}
