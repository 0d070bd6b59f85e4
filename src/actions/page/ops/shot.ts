import type { Target } from '../../describe.ts';
import { checkStable, checkState } from '../find/actionable.ts';
import { findOne } from '../find/resolve.ts';
import { beginShot, currentView, endShot, hasSealed, holderBox, showPart } from '../shot.ts';
import type { PageOpRun } from './define.ts';

/**
 * The steps of a picture, which the extension takes: `begin` (with `target` or `fullPage`) says what is to be in it, `show` scrolls to a part
 * of it, `look` says what is where now, `end` puts the page back. `holder` says where a frame is shown, `sealed` whether this document holds
 * what may not be seen.
 */
export const shot: PageOpRun = async (args) => {
  switch (args.step) {
    case 'begin': {
      if (args.target === undefined) return { value: { ...beginShot(undefined, args.fullPage === true) } as never };
      const { element, matched } = findOne(args.target as Target);
      checkState(element);
      await checkStable(element);
      return { value: { ...beginShot(element, false) } as never, matched };
    }
    case 'show':
      return {
        value: (await showPart(Number(args.x), Number(args.y), args.rest === true, args.many === true)) as never,
      };
    case 'holder': {
      const { element } = findOne(args.target as Target);
      return { value: { ...holderBox(element) } as never };
    }
    case 'look':
      return { value: currentView() as never };
    case 'sealed':
      return { value: hasSealed() };
    default:
      endShot();
      return { value: null };
  }
};
