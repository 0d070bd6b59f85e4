/** Fields that hold a secret, put there by a run. Their content is shown to nobody, also where the page has changed how it is written. */
const sealed = new WeakSet<Element>();
/** Fields that were for a password when they were looked at: pages turn them into plain ones to show what was typed. */
const passwords = new WeakSet<Element>();

/** A shorter content is found everywhere: it is known again only as a whole. Characters. */
const SHORTEST = 4;
/** How pages name fields for passwords that are shown for the moment. */
const PASSWORD_NAME = /passw|(?:^|[^a-z])pwd(?:$|[^a-z])/i;

/** Remembers, at each fill, whether what is filled in is a secret. */
export function seal(element: Element, secret: boolean): void {
  isSealed(element);
  if (secret) sealed.add(element);
  else sealed.delete(element);
}

/** Whether a field's content must not be read: it was filled with a secret, or is for a password, shown or not. */
export function isSealed(element: Element): boolean {
  if (sealed.has(element) || passwords.has(element)) return true;
  if (!(element instanceof HTMLInputElement) && !(element instanceof HTMLTextAreaElement)) return false;
  if (!isPassword(element)) return false;
  passwords.add(element);
  return true;
}

function isPassword(field: HTMLInputElement | HTMLTextAreaElement): boolean {
  if (field.type === 'password') return true;
  if (!/^(?:text|tel|number|search|email|textarea)$/.test(field.type)) return false;
  if (/(?:^|\s)(?:current|new)-password(?:\s|$)/i.test(field.getAttribute('autocomplete') ?? '')) return true;
  if (PASSWORD_NAME.test(`${field.getAttribute('name') ?? ''} ${field.getAttribute('id') ?? ''}`)) return true;
  // Drawn as dots by a style sheet.
  return /^(?:disc|circle|square)$/.test(getComputedStyle(field).getPropertyValue('-webkit-text-security'));
}

/** Whether a text of the page tells what a sealed field holds. */
export function tells(field: Element, text: string): boolean {
  const held = (field as Partial<HTMLInputElement>).value ?? field.textContent ?? '';
  return held !== '' && (held.length < SHORTEST ? text.trim() === held : text.includes(held));
}
