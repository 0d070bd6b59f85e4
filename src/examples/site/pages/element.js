/**
 * Makes an element. `on…` attributes are listeners, `true` is an empty attribute, `false` and `null` leave one out. Children are
 * elements or texts; no markup is ever parsed.
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const NUMBER = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `1,240.50 EUR`. */
export function money(amount, currency) {
  return `${NUMBER.format(amount)} ${currency}`;
}

/** JSON of the site's own API. Throws an `Error` with the server's sentence. */
export async function api(path, options = {}) {
  const response = await fetch(path, { headers: { 'content-type': 'application/json' }, ...options });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `The server answered ${response.status}.`);
  return body;
}
