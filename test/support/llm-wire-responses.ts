import { cut, type WireAnswer, written } from './llm-wire.ts';

/** OpenAI's responses API: the body of an answer in one piece, and the events of a streamed one. */

const CREATED = 1_767_600_000;

function usageOf(usage: WireAnswer['usage']): object {
  if (!usage) return {};
  return {
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

/** Why it is not complete, where it is not. */
function ending(answer: WireAnswer): object {
  const reason = { stop: undefined, length: 'max_output_tokens', content_filter: 'content_filter' }[answer.finish];
  return reason === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason } };
}

function message(answer: WireAnswer): object {
  const content =
    answer.refusal === undefined
      ? { type: 'output_text', text: answer.text, annotations: [] }
      : { type: 'refusal', refusal: answer.refusal };
  return { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [content] };
}

function call({ id, name, arguments: input }: NonNullable<WireAnswer['toolCalls']>[number], at: number): object {
  return { id: `fc_${at}`, type: 'function_call', status: 'completed', call_id: id, name, arguments: written(input) };
}

export function responsesBody(answer: WireAnswer): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: CREATED,
    model: answer.model,
    error: null,
    ...ending(answer),
    output: [
      ...(answer.text === '' && answer.toolCalls ? [] : [message(answer)]),
      ...(answer.toolCalls ?? []).map(call),
    ],
    ...usageOf(answer.usage),
  };
}

/** Its last event is `response.completed` or `response.incomplete`; there is no `[DONE]`. */
export function responsesEvents(answer: WireAnswer): string[] {
  let sequence = 0;
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`;
  const begun = { id: 'resp_1', object: 'response', created_at: CREATED, status: 'in_progress', model: answer.model };
  const events = [
    event('response.created', { response: { ...begun, output: [] } }),
    event('response.in_progress', { response: { ...begun, output: [] } }),
  ];
  let index = 0;
  if (answer.text !== '' || !answer.toolCalls) {
    const at = { item_id: 'msg_1', output_index: index, content_index: 0 };
    const item = { id: 'msg_1', type: 'message', role: 'assistant' };
    const [kind, pieces] =
      answer.refusal === undefined
        ? (['output_text', cut(answer.text)] as const)
        : (['refusal', cut(answer.refusal)] as const);
    events.push(
      event('response.output_item.added', {
        output_index: index,
        item: { ...item, status: 'in_progress', content: [] },
      }),
      ...pieces.map((delta) => event(`response.${kind}.delta`, { ...at, delta })),
      event(`response.${kind}.done`, { ...at, [kind === 'refusal' ? 'refusal' : 'text']: pieces.join('') }),
      event('response.output_item.done', { output_index: index, item: message(answer) }),
    );
    index += 1;
  }
  for (const [at, wish] of (answer.toolCalls ?? []).entries()) {
    const where = { item_id: `fc_${at}`, output_index: index };
    events.push(
      event('response.output_item.added', {
        output_index: index,
        item: { ...call(wish, at), status: 'in_progress', arguments: '' },
      }),
      ...cut(written(wish.arguments)).map((delta) =>
        event('response.function_call_arguments.delta', { ...where, delta }),
      ),
      event('response.function_call_arguments.done', { ...where, arguments: written(wish.arguments) }),
      event('response.output_item.done', { output_index: index, item: call(wish, at) }),
    );
    index += 1;
  }
  const last = answer.finish === 'stop' ? 'response.completed' : 'response.incomplete';
  return [...events, event(last, { response: responsesBody(answer) })];
}
