import { type ErrorInfo, TabloomError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import type { Problem, WorkflowDefinition } from '../../model/workflow.ts';
import { error } from '../preflight/problem.ts';
import { type JsonFinding, redactJson, scanJson } from './json.ts';
import { redactText, scanText } from './scan.ts';

/** What a workflow does with a secret that turns up in its data (SPEC §6, *Secrets*). */
export function policyOf(workflow: Pick<WorkflowDefinition, 'secretPolicy'>): 'block' | 'redact' {
  return workflow.secretPolicy ?? 'block';
}

/** Values that were looked through. Nobody changes them. */
const clean = new WeakSet<object>();

/** Whether a value is known to hold no secret, so that it need not be looked through again. */
export function isKnownClean(value: unknown): boolean {
  return typeof value === 'object' && value !== null && clean.has(value);
}

/** Remembers that a value holds no secret; it must not be changed from then on. */
export function noteClean<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) clean.add(value);
  return value;
}

/** How a finding is named in a sentence: never by what was found. */
function named({ kind, pointer }: JsonFinding): string {
  return `a secret (${kind.replaceAll('_', ' ')})${pointer === '' ? '' : ` at ${pointer}`}`;
}

/** The error `secret_detected` for a value, or undefined when the value is clean. The message never quotes what was found. */
export function secretError(what: string, value: Json | undefined, step?: string): TabloomError | undefined {
  const [first] = value === undefined ? [] : scanJson(value);
  if (!first) return undefined;
  return new TabloomError(
    'secret_detected',
    `${what} holds what looks like ${named(first)}: keep it out of the run, or write secretPolicy: redact to have it replaced.`,
    { ...(step === undefined ? {} : { step }), details: { kind: first.kind, pointer: first.pointer } },
  );
}

/**
 * A value as the run may use, send and keep it.
 * @returns the value itself when it is clean; under `redact` a copy without the secrets
 * @throws TabloomError `secret_detected` under `block`
 */
export function withoutSecrets<T extends Json>(
  workflow: Pick<WorkflowDefinition, 'secretPolicy'>,
  what: string,
  value: T,
  step?: string,
): T {
  if (policyOf(workflow) === 'redact') return noteClean(redactJson(value));
  const found = secretError(what, value, step);
  if (found) throw found;
  return noteClean(value);
}

/**
 * An attempt's error as it may be kept. Details and `meta` hold what a model or a page gave back, so that under `block` a secret there is
 * what the step fails with; of a *once* step that may have acted, the error stays what it is. (The journal takes secrets out of texts in
 * any case.)
 */
export function errorWithoutSecrets(
  workflow: Pick<WorkflowDefinition, 'secretPolicy'>,
  failed: ErrorInfo,
  meta: Json | undefined,
  mayHaveActed: boolean,
): ErrorInfo {
  const clean = redactJson(failed as unknown as Json) as unknown as ErrorInfo;
  if (policyOf(workflow) === 'redact' || mayHaveActed) return clean;
  const found = secretError(
    'What the step gave back',
    { details: failed.details ?? null, meta: meta ?? null },
    failed.step,
  );
  return found ? { ...found.info, step: failed.step } : clean;
}

/** Preflight's problems of secrets in a definition, refused under either policy, and the other problems with no secret quoted in them. */
export function checkSecrets(definition: Json, problems: readonly Problem[]): Problem[] {
  const found = scanJson(definition).map(({ pointer, kind }) =>
    error(
      'secret_detected',
      pointer,
      `This looks like a secret (${kind.replaceAll('_', ' ')}): store it under Settings and write {{secret.name}} in its place.`,
    ),
  );
  return [...sealed(problems), ...found];
}

/** Problems with no secret quoted in message or pointer. */
export function sealed(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    message: redactText(problem.message),
    pointer: redactText(problem.pointer),
  }));
}

/** A secret in a file outside its values, in a comment say: one problem, with line and column from 1. */
export function checkSource(text: string): Problem[] {
  const [first] = scanText(text);
  if (!first) return [];
  const before = text.slice(0, first.start).split('\n');
  return [
    {
      ...error(
        'secret_detected',
        '',
        `The file holds what looks like a secret (${first.kind.replaceAll('_', ' ')}): take it out, from comments too.`,
      ),
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    },
  ];
}

/** Preflight's problems of secrets in a run's input. Under `redact` there are none: the input is redacted when the run starts. */
export function checkInputSecrets(workflow: Pick<WorkflowDefinition, 'secretPolicy'>, input: Json): Problem[] {
  if (policyOf(workflow) === 'redact') return [];
  return scanJson(input).map((finding) =>
    error(
      'secret_detected',
      `/inputs${finding.pointer}`,
      `The input holds what looks like ${named(finding)}: give it as {{secret.name}}, or write secretPolicy: redact.`,
    ),
  );
}
