import { validateSchema } from '../engine/values/schema.ts';
import { asText } from '../engine/values/template.ts';
import { type ErrorInfo, TabloomError } from '../model/errors.ts';
import { isObject, isTooDeep, type Json, type JsonObject } from '../model/json.ts';
import type { Usage } from '../model/run.ts';
import type { ModelReply } from '../ports/model.ts';

/** Longest text that is kept of a prompt or reply, in characters. */
const KEEP = 32 * 1024;
/** Errors of one reply that are named; more would only repeat. */
const NAMED = 5;

/** What is recorded with an attempt, whether its reply was of use or not. */
export interface Kept {
  usage: Usage;
  meta: JsonObject;
}

/** A text as it is kept with an attempt: cut at 32 Ki characters, and marked where cut. */
export function kept(text: string): string {
  return text.length > KEEP ? `${text.slice(0, KEEP)}… [cut, ${text.length} characters in all]` : text;
}

/**
 * The step's output from a model's reply: `{text}`, or with a schema the value that it asks for.
 * @throws TabloomError `content_blocked` when moderation stopped it; `output_invalid` for an empty reply, for what is no JSON and for
 * what the schema does not allow, with `details: {reply, errors}`: the next attempt shows the model what was wrong. `details.attempt` holds
 * `keep`, since the tokens were spent all the same.
 * @param keep usage and meta of this attempt, recorded with it however it ends
 */
export function outputOf(reply: ModelReply, schema: JsonObject | undefined, keep: Kept): Json {
  const invalid = (message: string, errors: string[]) =>
    new TabloomError('output_invalid', message, { details: about(reply, errors, keep) });
  const tooLong = () =>
    invalid("The model's reply was cut off at the token limit: raise maxTokens.", [
      'the reply was cut off, so be shorter',
    ]);

  if (reply.finish === 'content_filter') {
    throw new TabloomError(
      'content_blocked',
      'The provider stopped the reply by its content filter: change the text that is sent.',
      {
        details: about(reply, [], keep),
      },
    );
  }
  if (reply.text.trim() === '') {
    const why =
      reply.finish === 'length'
        ? 'used up its tokens before it said anything: raise maxTokens'
        : 'gave an empty reply: make the prompt clearer';
    throw invalid(`The model ${why}.`, ['the reply is empty']);
  }
  if (!schema) return { text: reply.text };
  const parsed = parseReply(reply.text);
  if (parsed === undefined) {
    if (reply.finish === 'length') throw tooLong();
    throw invalid("The model's reply is not JSON: ask in the prompt for JSON only, or choose a model that can.", [
      'the reply is not valid JSON',
    ]);
  }
  const { valid, errors } = validateSchema(schema, parsed);
  if (valid) return parsed;
  if (reply.finish === 'length') throw tooLong();
  const named = errors.slice(0, NAMED).map((error) => error.message);
  throw invalid(
    `The model's reply does not fit outputSchema (${named.join('; ')}): make prompt and schema agree.`,
    named,
  );
}

/** After a reply that was of no use: that reply, and what the model is told about it. `undefined` after any other error. */
export function correctionOf(
  before: ErrorInfo | undefined,
  schema: JsonObject | undefined,
): { reply: string; correction: string } | undefined {
  if (before?.code !== 'output_invalid' || !isObject(before.details)) return undefined;
  const { reply, errors } = before.details;
  if (typeof reply !== 'string' || !Array.isArray(errors)) return undefined;
  const wrong = errors.map((error) => `- ${asText(error)}`).join('\n');
  const again = schema ? `Answer again, with JSON only, for this schema: ${JSON.stringify(schema)}` : 'Answer again.';
  return { reply, correction: `Your answer could not be used:\n${wrong}\n\n${again}` };
}

/** JSON from a reply, also from inside one ```json fence, with or without words around it. `undefined` when there is none, or one nested too deep. */
export function parseReply(text: string): Json | undefined {
  const fences = [...text.matchAll(/```(?:json|JSON)?[ \t]*\r?\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  for (const candidate of fences.length === 1 ? [text, fences[0] ?? ''] : [text]) {
    try {
      const value = JSON.parse(candidate) as Json;
      return isTooDeep(value) ? undefined : value;
    } catch {
      // the next candidate
    }
  }
  return undefined;
}

function about(reply: ModelReply, errors: string[], keep: Kept): JsonObject {
  return { reply: kept(reply.text), errors, attempt: { usage: { ...keep.usage }, meta: keep.meta } };
}
