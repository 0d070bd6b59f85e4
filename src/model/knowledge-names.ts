/** Longest id, in characters; with the number that tells it from another one it is within what `kb_write` takes. */
const LONGEST = 180;

/**
 * A document's id made of a title or of the path of its file: small letters and digits, the rest as hyphens; folders stay parts of their own.
 * `Müller & Co/Policy v2.md` → `muller-co/policy-v2`.
 */
export function documentIdOf(name: string): string {
  const parts = name
    .replace(/\.[A-Za-z0-9]{1,8}$/, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split('/')
    .map((part) => part.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, ''))
    .filter((part) => part !== '');
  return [...parts.join('/')].slice(0, LONGEST).join('') || 'document';
}

/** An id that is not among those taken: as it is, or with the first free number behind it. */
export function freeId(id: string, taken: { has(id: string): boolean }): string {
  let free = id;
  for (let n = 2; taken.has(free); n += 1) free = `${id}-${n}`;
  return free;
}
