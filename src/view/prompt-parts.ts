import { isObject, type Json } from '../model/json.ts';
import type { Attempt } from '../model/run.ts';

/** What an attempt sent to a model and got back, as far as its record says. */
export interface PromptParts {
  model?: string;
  system?: string;
  messages: { role: string; content: string }[];
  reply?: string;
}

const text = (value: Json | undefined): string | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'string'
      ? value
      : JSON.stringify(value, null, 2);

/** Reads an attempt's `meta` (`{model, system, prompt | messages, reply | text}`); `undefined` where it holds no prompt and no reply. */
export function promptParts(attempt: Attempt): PromptParts | undefined {
  const meta = attempt.meta;
  if (!isObject(meta)) return undefined;
  const request = isObject(meta.request) ? meta.request : isObject(meta.prompt) ? meta.prompt : meta;
  const listed = Array.isArray(request.messages) ? request.messages : [];
  const messages = listed
    .filter(isObject)
    .map((message) => ({ role: text(message.role) ?? 'user', content: text(message.content) ?? '' }));
  const prompt = typeof meta.prompt === 'string' ? meta.prompt : undefined;
  if (prompt !== undefined && messages.length === 0) messages.push({ role: 'user', content: prompt });
  const reply = text(meta.reply) ?? text(meta.text);
  const system = text(request.system);
  if (messages.length === 0 && reply === undefined && system === undefined) return undefined;
  return { model: text(meta.model) ?? text(request.model), system, messages, reply };
}
