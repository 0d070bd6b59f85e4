import { isObject, type Json } from '../model/json.ts';
import type { Attempt } from '../model/run.ts';

/** What an attempt sent to a model and got back, as its record says. Long texts are cut by the record, which marks where. */
export interface PromptParts {
  /** `account:model` that answered. */
  model?: string;
  /** Everything that was sent, in order. */
  sent: { role: 'system' | 'user' | 'assistant'; text: string }[];
  /** Faults of the reply before, which were named in the last thing sent: the model was asked to repair it. */
  faults: string[];
  reply?: string;
  /** Why the reply ended, where it is not simply at its end: `length`, `content_filter`, … */
  cut?: string;
}

const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * Reads what a recipe step keeps with an attempt: `{prompt, system, reply, model, finish}`.
 * @param before the attempt before it: after a reply that did not fit, that reply and its faults went out again
 * @returns `undefined` where no model was called
 */
export function promptParts(attempt: Attempt, before?: Attempt): PromptParts | undefined {
  const meta = attempt.meta;
  if (!isObject(meta)) return undefined;
  const prompt = text(meta.prompt);
  const reply = text(meta.reply);
  if (prompt === undefined && reply === undefined) return undefined;
  const parts: PromptParts = { sent: [], faults: [] };
  const system = text(meta.system);
  if (system !== undefined) parts.sent.push({ role: 'system', text: system });
  if (prompt !== undefined) parts.sent.push({ role: 'user', text: prompt });
  const failed = before?.error?.code === 'output_invalid' ? before.error.details : undefined;
  if (isObject(failed) && typeof failed.reply === 'string' && Array.isArray(failed.errors)) {
    if (failed.reply.trim() !== '') parts.sent.push({ role: 'assistant', text: failed.reply });
    parts.faults = failed.errors.filter((fault) => typeof fault === 'string');
  }
  const finish = text(meta.finish);
  if (finish !== undefined && finish !== 'stop') parts.cut = finish;
  return { ...parts, model: text(meta.model), reply };
}

/** Which of a browser action's alternative targets was found, from 1; `undefined` where there was one, or none. */
export function matchedTarget(attempt: Attempt): number | undefined {
  const matched = isObject(attempt.meta) ? attempt.meta.matched : undefined;
  return typeof matched === 'number' && matched > 0 ? matched + 1 : undefined;
}

/** Whether a browser action has waited until a person had let its page alone. */
export function hasYielded(attempt: Attempt): boolean {
  return isObject(attempt.meta) && attempt.meta.yielded === true;
}
