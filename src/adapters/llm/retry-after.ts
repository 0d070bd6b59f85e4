/**
 * Milliseconds that a provider asks to wait: `retry-after-ms`, else `Retry-After` as seconds or as an HTTP date (RFC 9110 §10.2.3).
 * A date in the past is 0; what cannot be read is `undefined`.
 * @param now epoch milliseconds
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = number(headers.get('retry-after-ms'));
  if (exact !== undefined) return Math.ceil(exact);
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  const seconds = number(text);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
