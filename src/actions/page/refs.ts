import { env, PageError } from './env.ts';

/** Refs of snapshots: short names for elements, held weakly, so that nothing of the page is kept alive by being looked at. */
const names = new WeakMap<Element, string>();
const elements = new Map<string, WeakRef<Element>>();
let last: number | undefined;

/** The ref of an element: the same one for as long as the element lives. */
export function refOf(element: Element): string {
  const known = names.get(element);
  if (known) return known;
  // Each document counts from a thousand of its own, so that a ref of the page before does not name something here.
  last ??= Math.floor(env().random() * 999) * 1000;
  last += 1;
  const ref = `e${last}`;
  names.set(element, ref);
  elements.set(ref, new WeakRef(element));
  if (last % 1000 === 0) for (const [name, held] of elements) if (!held.deref()) elements.delete(name);
  return ref;
}

/** @throws PageError `ref_stale` when the element is gone or the ref is of another document. */
export function elementOf(ref: string): Element {
  const element = elements.get(ref)?.deref();
  if (element?.isConnected) return element;
  throw new PageError('ref_stale', `Take a new snapshot: the element ${ref} is no longer on the page.`, {
    details: { ref },
  });
}
