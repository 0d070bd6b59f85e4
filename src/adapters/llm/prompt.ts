import type {
  JSONSchema7,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isTooDeep, type Json, type JsonObject } from '../../model/json.ts';
import type { ModelMessage, ToolCall, ToolDefinition } from '../../ports/model.ts';

/** A conversation as the provider packages take it. */
export function promptOf(system: string, messages: readonly ModelMessage[]): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = messages.map(messageOf);
  if (system !== '') prompt.unshift({ role: 'system', content: system });
  return prompt;
}

function messageOf(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'user': {
      const files = (message.files ?? []).map(({ name, mediaType, bytes }) => ({
        type: 'file' as const,
        filename: name,
        mediaType,
        data: { type: 'data' as const, data: bytes },
      }));
      return { role: 'user', content: [...files, { type: 'text', text: message.content }] };
    }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, tool, arguments: input, provider }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: tool,
        input: input === null || typeof input !== 'object' ? { unreadable: input } : input,
        ...(provider ? { providerOptions: provider as SharedV4ProviderOptions } : {}),
      }));
      // Providers refuse an empty text.
      const text = message.content === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: message.content }];
      return { role: 'assistant', content: [...text, ...calls] };
    }
    case 'tool':
      return {
        role: 'tool',
        content: message.answers.map(({ id, tool, text, isError }) => ({
          type: 'tool-result' as const,
          toolCallId: id,
          toolName: tool,
          output: { type: isError ? ('error-text' as const) : ('text' as const), value: text },
        })),
      };
  }
}

/** Tools as the provider packages take them. */
export function toolsOf(tools: readonly ToolDefinition[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    ...(description === '' ? {} : { description }),
    inputSchema: inputSchema as JSONSchema7,
  }));
}

/** A tool that the model asks for; arguments that are no JSON stay the text that they are. */
export function toolCallOf({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall): ToolCall {
  // OpenAI's ids of items mean something only to the copy that it was told not to keep.
  const { openai: _, ...kept } = providerMetadata ?? {};
  return {
    id: toolCallId,
    tool: toolName,
    arguments: parsed(input),
    ...(Object.keys(kept).length > 0 ? { provider: JSON.parse(JSON.stringify(kept)) as JsonObject } : {}),
  };
}

function parsed(input: string): Json {
  if (input.trim() === '') return {};
  try {
    const value = JSON.parse(input) as Json;
    // Nothing takes it, and whoever went through it level by level would run out of stack.
    return isTooDeep(value) ? input : value;
  } catch {
    return input;
  }
}
