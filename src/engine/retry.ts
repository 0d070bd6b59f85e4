import { ERROR_CODES, type ErrorInfo } from '../model/errors.ts';
import type { RetryPolicy } from './plan.ts';

/** Whether an error of that code may be tried again under a policy (SPEC §12). */
export function isRetryable(code: string, policy: RetryPolicy): boolean {
  const rule = Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as keyof typeof ERROR_CODES] : 'named';
  if (rule === 'never') return false;
  if (policy.on) return policy.on.includes(code);
  return rule === 'default';
}

/** SPEC §4: jitter is uniform in [0, min(1 s, delay)). */
const MAX_JITTER_MS = 1000;

/**
 * Milliseconds to wait before attempt `failures + 1` (SPEC §4). Jitter is added, or subtracted where the sum would pass the cap, so that
 * a crowd does not return at once. A provider's `Retry-After` wins if longer and is not bounded by the cap.
 * @param failures attempts that have failed so far, from 1
 * @param random uniform in [0, 1)
 */
export function backoffMs(policy: RetryPolicy, failures: number, error: ErrorInfo, random: number): number {
  const { backoff, delayMs, maxDelayMs } = policy;
  let delay = delayMs;
  if (backoff === 'exponential') delay = Math.min(maxDelayMs, delayMs * 2 ** (failures - 1));
  else if (backoff === 'linear') delay = Math.min(maxDelayMs, delayMs * failures);
  if (policy.jitter) {
    const jitter = random * Math.min(MAX_JITTER_MS, delay);
    const cap = backoff === 'none' ? Number.POSITIVE_INFINITY : maxDelayMs;
    delay = delay + jitter > cap ? delay - jitter : delay + jitter;
  }
  return Math.max(Math.round(delay), error.retryAfterMs ?? 0);
}

/** Codes that say a *once* step had not begun to act (SPEC §6, *At most once*); our own checks are among them. */
const BEFORE_THE_ACT = new Set([
  'element_not_found',
  'element_not_actionable',
  'target_ambiguous',
  'rate_limited',
  'ref_stale',
  'tab_lost',
  'tab_closed',
  'tab_not_visible',
  'site_not_allowed',
  'permission_denied',
  'input_invalid',
  'template_unresolved',
  'condition_invalid',
  'approval_mismatch',
  'secret_detected',
  'budget_exceeded',
]);

/** True when it is not known whether a *once* step acted: the engine must not repeat it by itself. */
export function outcomeUnknown(error: ErrorInfo): boolean {
  if (error.acted !== undefined) return error.acted;
  return !BEFORE_THE_ACT.has(error.code);
}
