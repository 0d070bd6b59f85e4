/** Fields that hold a secret, put there by a run. Their content is shown to nobody, also where the page has changed how it is written. */
const sealed = new WeakSet<Element>();

/** Remembers, at each fill, whether what is filled in is a secret. */
export function seal(element: Element, secret: boolean): void {
  if (secret) sealed.add(element);
  else sealed.delete(element);
}

/** Whether a field's content must not be read: it was filled with a secret, or is a password field. */
export function isSealed(element: Element): boolean {
  return sealed.has(element) || (element instanceof HTMLInputElement && element.type === 'password');
}
