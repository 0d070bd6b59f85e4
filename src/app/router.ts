import { toErrorInfo } from '../model/errors.ts';
import { isObject } from '../model/json.ts';
import type { Sender } from './browser-api.ts';
import { messageSchemas } from './messages.ts';
import type { RequestName, ResponseMessage } from './protocol.ts';
import { isOwnPage, type Self } from './sender.ts';

/** Answers a request whose payload has been checked. */
export type Dispatch = (name: RequestName, payload: never) => Promise<unknown>;

/**
 * The background's door for messages. Gives `undefined`, at once, for whatever is not a request of one of our own pages: nothing that a
 * content script or a web page sends is acted on or answered. A request that is wrong or fails gets a typed error; it never rejects.
 */
export function createRouter(
  self: Self,
  dispatch: Dispatch,
): (message: unknown, sender: Sender) => Promise<ResponseMessage> | undefined {
  return (message, sender) => {
    if (!isObject(message) || message.tabloom !== 1 || !isOwnPage(sender, self)) return undefined;
    return answer(message.name, message.payload, dispatch);
  };
}

async function answer(name: unknown, payload: unknown, dispatch: Dispatch): Promise<ResponseMessage> {
  if (typeof name !== 'string' || !Object.hasOwn(messageSchemas, name)) {
    return refusal(
      `There is no request "${String(name).slice(0, 60)}"; reload this page, it may be of another version of Tabloom.`,
    );
  }
  const parsed = messageSchemas[name as RequestName].safeParse(payload);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refusal(
      `Correct ${issue?.path.join('.') || 'the payload'} of ${name}: ${issue?.message ?? 'it is invalid'}.`,
    );
  }
  try {
    return { ok: true, value: (await dispatch(name as RequestName, parsed.data as never)) as never };
  } catch (error) {
    const { code, message } = toErrorInfo(error);
    return { ok: false, error: { code, message } };
  }
}

function refusal(message: string): ResponseMessage {
  return { ok: false, error: { code: 'bad_request', message } };
}
