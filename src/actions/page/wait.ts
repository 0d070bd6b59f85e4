import type { Json } from '../../model/json.ts';
import { describeTarget, type Target } from '../describe.ts';
import { PageError } from './env.ts';
import { alternatives, findAll } from './find/resolve.ts';
import { fits, shownText } from './text.ts';
import { isDisabled, isVisible } from './visibility.ts';

export type WaitState = 'visible' | 'hidden' | 'attached' | 'detached' | 'enabled';

/** Throws, to be asked again, until the state and the text hold. Any match counts here: nothing is acted on. */
export function checkWait(args: { target?: Target; state: WaitState; text?: string }): Json {
  if (args.target !== undefined && !holds(args.target, args.state)) {
    throw pending(`${describeTarget(args.target)} to be ${args.state}`);
  }
  if (args.text !== undefined && !(document.body && fits(shownText(document.body), args.text, false))) {
    throw pending(`the text "${args.text}"`);
  }
  return null;
}

function pending(what: string): PageError {
  return new PageError('timeout', `Look at the page: the wait for ${what} took too long.`, { wait: true });
}

function holds(target: Target, state: WaitState): boolean {
  const found = alternatives(target).flatMap((one) => present(one));
  switch (state) {
    case 'attached':
      return found.length > 0;
    case 'detached':
      return found.length === 0;
    case 'hidden':
      return !found.some(isVisible);
    case 'enabled':
      return found.some((element) => isVisible(element) && !isDisabled(element));
    default:
      return found.some(isVisible);
  }
}

/** What a target names now; a ref whose element is gone names nothing, which is what `hidden` and `detached` wait for. */
function present(target: Parameters<typeof findAll>[0]): Element[] {
  try {
    return findAll(target, { hidden: true });
  } catch (error) {
    if (error instanceof PageError && (error.info.code === 'ref_stale' || error.info.code === 'element_not_found'))
      return [];
    throw error;
  }
}
