import type { Json } from '../../../src/model/json.ts';
import type { ModelReply, ModelRequest, ToolCall } from '../../../src/ports/model.ts';
import type { PageCall } from '../../../src/ports/pages.ts';

/** What a simulation looks at in a call of the outside, whoever is called. */
export type Outside = Pick<PageCall, 'runId' | 'path' | 'attempt' | 'signal'>;

/**
 * A turn of an agent's model. It asks for a tool two times in three, never twice for the same.
 * @param outside is asked first: it may fail or hang, and says how often it was asked
 */
export async function turnOf(
  { call, signal }: ModelRequest,
  outside: (call: Outside) => Promise<Json>,
): Promise<ModelReply> {
  const { done } = (await outside({ ...call, signal })) as { done: number };
  const reply = { usage: { inputTokens: 1, outputTokens: 1 }, model: 'sim', finish: 'stop' as const };
  if (done % 3 === 0) return { ...reply, text: `answer ${done}` };
  const wish: Pick<ToolCall, 'tool' | 'arguments'> =
    done % 2 === 0
      ? { tool: 'browser_click', arguments: { target: { text: `Go ${done}` } } }
      : done % 5 === 0
        ? { tool: 'browser_navigate', arguments: { url: `https://app.example/${done}` } }
        : { tool: 'browser_snapshot', arguments: {} };
  return { ...reply, text: '', toolCalls: [{ id: `c${done}`, ...wish }] };
}
