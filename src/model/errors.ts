import type { Json } from './json.ts';

/**
 * Every code of SPEC §12 and how the engine treats it: `default` is retried unless `retry.on` says otherwise, `named` only if
 * `retry.on` names it, `never` is not retried at all.
 */
export const ERROR_CODES = {
  rate_limited: 'default',
  provider_unavailable: 'default',
  timeout: 'default',
  network: 'default',
  mcp_unavailable: 'default',
  output_invalid: 'default',
  element_not_found: 'default',
  element_not_actionable: 'default',
  navigation_failed: 'default',
  bad_request: 'named',
  auth_failed: 'named',
  quota_exceeded: 'named',
  content_blocked: 'named',
  mcp_tool_error: 'named',
  operation_failed: 'named',
  target_ambiguous: 'named',
  ref_stale: 'named',
  tab_lost: 'named',
  tab_closed: 'named',
  tab_not_visible: 'named',
  download_failed: 'named',
  permission_denied: 'named',
  input_invalid: 'named',
  output_too_large: 'named',
  template_unresolved: 'named',
  condition_invalid: 'named',
  artifact_missing: 'named',
  internal: 'named',
  site_not_allowed: 'never',
  secret_detected: 'never',
  budget_exceeded: 'never',
  approval_rejected: 'never',
  approval_expired: 'never',
  review_rejected: 'never',
  review_expired: 'never',
  interrupted: 'never',
  cancelled: 'never',
} as const satisfies Record<string, 'default' | 'named' | 'never'>;

/** A code that a step or run can fail with. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Codes of refusals: a command or a start that was turned down; nothing has changed (SPEC §6, §7). */
export type RefusalCode =
  | 'approval_mismatch'
  | 'role_missing'
  | 'approval_expired'
  | 'already_decided'
  | 'rule_not_allowed'
  | 'key_conflict'
  | 'workflow_disabled'
  | 'workflow_missing'
  | 'run_missing'
  | 'run_finished'
  | 'not_paused'
  | 'already_paused'
  | 'not_waiting'
  | 'form_invalid'
  | 'rolled_back'
  | 'emergency_stop'
  | 'preflight_failed'
  | 'unknown_step'
  | 'input_invalid'
  | 'internal';

/** An error as it is stored, sent between contexts and shown: plain JSON, one readable sentence in `message`. */
export interface ErrorInfo {
  code: string;
  message: string;
  /** Path of the step it happened in. */
  step?: string;
  /** Which field of the step, and which path in a template, where that is known. */
  field?: string;
  path?: string;
  /** What else is known (an HTTP status, the covering element, the missing origin). */
  details?: Json;
  /** Milliseconds a provider asked to wait (`Retry-After`). */
  retryAfterMs?: number;
  /** For a *once* step: the work had begun to act when this was thrown. */
  acted?: boolean;
  cause?: ErrorInfo;
}

/**
 * The one error class that crosses our own layers. Recognised by `TabloomError.is`, not `instanceof`, since errors also arrive from
 * other realms. `message` is one sentence that says what to do next.
 */
export class TabloomError extends Error {
  readonly info: ErrorInfo;
  constructor(code: string, message: string, more: Omit<ErrorInfo, 'code' | 'message'> = {}) {
    super(message);
    this.name = 'TabloomError';
    this.info = { code, message, ...more };
  }
  get code(): string {
    return this.info.code;
  }
  static is(error: unknown): error is TabloomError {
    return (
      error instanceof Error && error.name === 'TabloomError' && typeof (error as TabloomError).info?.code === 'string'
    );
  }
}

const MAX_MESSAGE = 2000;

/** Makes an `ErrorInfo` of anything thrown; what is not ours becomes `internal`. Messages are cut at 2,000 characters. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (TabloomError.is(error)) return { ...error.info, message: error.info.message.slice(0, MAX_MESSAGE) };
  if (error instanceof Error)
    return { code: 'internal', message: `${error.name}: ${error.message}`.slice(0, MAX_MESSAGE) };
  return {
    code: 'internal',
    message: typeof error === 'string' ? error.slice(0, MAX_MESSAGE) : 'an unknown error was thrown',
  };
}
