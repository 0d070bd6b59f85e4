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
  | 'trigger_missing'
  | 'trigger_taken'
  | 'trigger_busy'
  | 'consent_missing'
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

/** Longest message that is kept; the sentence of an error should be far shorter, but not all are ours. */
const MAX_MESSAGE = 2000;
/** Longest chain of causes that is kept. */
const MAX_CAUSES = 5;
/** How many errors of an `AggregateError` are named. */
const MAX_TOGETHER = 5;

/**
 * Makes an `ErrorInfo` of anything thrown; what is not ours becomes `internal`, unless it wraps an error of ours as its `cause`. Messages are cut at 2,000 characters. Never throws, and never
 * gives an empty message or `[object Object]`.
 */
export function toErrorInfo(error: unknown): ErrorInfo {
  return infoOf(error, 0);
}

/** What was thrown, as a text to be put into a sentence: the message of an error as it is. Never throws. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.message !== '' ? thrown.message : toErrorInfo(thrown).message;
}

function infoOf(error: unknown, depth: number): ErrorInfo {
  if (TabloomError.is(error)) return { ...error.info, message: cut(error.info.message) || UNSAID };
  const info: ErrorInfo = { code: 'internal', message: cut(messageOf(error)) };
  if (!(error instanceof Error) || depth >= MAX_CAUSES) return info;
  const { cause } = error;
  if (cause === undefined || cause === null) return info;
  const inner = infoOf(cause, depth + 1);
  // What wraps an error of ours adds words; what may follow from it stays: its class, its wait, and whether it had begun to act.
  return inner.code === 'internal' ? { ...info, cause: inner } : { ...inner, message: info.message, cause: inner };
}

const UNSAID = 'Something failed without saying why; try again, and report it if it happens again.';

/** One readable text for what was thrown. */
function messageOf(error: unknown): string {
  if (typeof error === 'string') return error.trim() || UNSAID;
  if (typeof error === 'number' || typeof error === 'boolean' || typeof error === 'bigint') return String(error);
  if (typeof error !== 'object' || error === null) return UNSAID;
  const together = aggregated(error);
  const said = member(error, 'message') ?? member(error, 'reason');
  const name = member(error, 'name');
  const text = said === undefined ? undefined : name === undefined || said.startsWith(name) ? said : `${name}: ${said}`;
  if (together !== undefined) return [text, together].filter((part) => part !== undefined).join(' ');
  if (text !== undefined) return text;
  // An event (`error` of a request, a socket, an image) says what happened by its type only, and may hold the error itself.
  const inner = read(error, 'error') ?? read(error, 'reason');
  if (inner !== undefined && inner !== null && inner !== error)
    return messageOf(typeof inner === 'object' ? { ...pick(inner) } : inner);
  const type = member(error, 'type');
  if (type !== undefined) return `The browser reported "${type}" without saying why; try again.`;
  return member(error, 'code') ?? (name === undefined || name === 'Error' ? UNSAID : name);
}

/** The parts of an inner error that say something, so that nothing is followed further in. */
function pick(inner: object): object {
  return { name: member(inner, 'name'), message: member(inner, 'message'), type: member(inner, 'type') };
}

/** The errors of an `AggregateError`, in a row. */
function aggregated(error: object): string | undefined {
  const errors = read(error, 'errors');
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const words = errors
    .slice(0, MAX_TOGETHER)
    .map((one: unknown) =>
      cut(
        Array.isArray(read(one as object, 'errors')) ? (member(one as object, 'message') ?? UNSAID) : messageOf(one),
        300,
      ),
    );
  const more = errors.length - words.length;
  return `(${words.join('; ')}${more > 0 ? `; and ${more} more` : ''})`;
}

/** A member that is a text with something in it. */
function member(value: object, name: string): string | undefined {
  const found = read(value, name);
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined;
}

/** Getters of things from elsewhere may throw. */
function read(value: unknown, name: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}

function cut(text: string, max = MAX_MESSAGE): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
