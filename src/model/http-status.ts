import type { ErrorCode } from './errors.ts';

/** The error code of an HTTP status from a provider or tool (SPEC §4). */
export function httpErrorCode(status: number): ErrorCode {
  if (status === 429) return 'rate_limited';
  if (status === 408 || status === 425 || status >= 500) return 'provider_unavailable';
  if (status === 401 || status === 403) return 'auth_failed';
  if (status === 402) return 'quota_exceeded';
  return 'bad_request';
}
