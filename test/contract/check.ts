/** One named case of a contract: rejects when the thing under test breaks it. */
export interface ContractCase {
  name: string;
  run: () => Promise<void>;
}

/** What a case reports; no test runner is needed, so that the same cases run in a page. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** Deep equality of plain data and byte arrays; the order of keys does not count, a key that is `undefined` counts as absent. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const at = difference(actual, expected, '');
  if (at === undefined) return;
  throw new ContractError(`${what}: at ${at || 'the top'} expected ${short(expected)}, got ${short(actual)}`);
}

export function truthy(value: unknown, what: string): void {
  if (!value) throw new ContractError(`${what}: got ${short(value)}`);
}

/** Awaits a rejection and gives its error. */
export async function rejected(promise: Promise<unknown>, what: string): Promise<Error> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new ContractError(`${what}: it rejected with ${short(error)}, which is no Error`);
  }
  throw new ContractError(`${what}: expected a rejection, got ${short(value)}`);
}

function difference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null) return path;
  if (Array.isArray(actual) !== Array.isArray(expected)) return path;
  if (actual instanceof Uint8Array && expected instanceof Uint8Array) {
    if (actual.length !== expected.length) return `${path}.length`;
    const index = actual.findIndex((byte, i) => byte !== expected[i]);
    return index === -1 ? undefined : `${path}[${index}]`;
  }
  if (actual instanceof Uint8Array || expected instanceof Uint8Array) return path;
  const [one, other] = [actual as Record<string, unknown>, expected as Record<string, unknown>];
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const at = difference(
      Object.hasOwn(one, key) ? one[key] : undefined,
      Object.hasOwn(other, key) ? other[key] : undefined,
      `${path}.${key}`,
    );
    if (at !== undefined) return at;
  }
  return undefined;
}

function short(value: unknown): string {
  const text = value instanceof Error ? String(value) : JSON.stringify(value);
  return text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
