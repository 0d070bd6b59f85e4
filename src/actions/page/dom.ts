import { env } from './env.ts';

/** Elements other than custom ones that may hold a shadow root (https://dom.spec.whatwg.org/#valid-shadow-host-name). */
const HOSTS = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

export type Root = Document | ShadowRoot;

/** Shadow root of an element, open or closed; null where there is none. */
export function shadowOf(element: Element): ShadowRoot | null {
  if (!(element instanceof HTMLElement)) return null;
  if (!HOSTS.has(element.localName) && !element.localName.includes('-')) return null;
  return env().shadowRoot(element);
}

/** Parent in the tree as it is drawn: over slots and shadow roots. */
export function flatParent(node: Node): Element | null {
  const slot = node instanceof Element || node instanceof Text ? node.assignedSlot : null;
  if (slot) return slot;
  if (node.parentElement) return node.parentElement;
  return node.parentNode instanceof ShadowRoot ? node.parentNode.host : null;
}

/** Children in the tree as it is drawn: a host shows its shadow tree, a slot what was put into it. */
export function flatChildren(element: Element): Node[] {
  const shadow = shadowOf(element);
  if (shadow) return [...shadow.childNodes];
  if (element instanceof HTMLSlotElement) {
    const given = element.assignedNodes();
    return given.length > 0 ? given : [...element.childNodes];
  }
  return [...element.childNodes];
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
  for (const child of scope.children) {
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
