import type { PageOp } from '../../protocol.ts';
import { click, locate } from './click.ts';
import type { PageOpRun } from './define.ts';
import { drag } from './drag.ts';
import { check, fill, selectOption } from './field.ts';
import { pressKey, type } from './keys.ts';
import { hover, scroll } from './pointer.ts';
import { extract, frame, probe, sight, snapshot, wait } from './read.ts';

/** All that can be asked of the page script. */
export const PAGE_OPS: Readonly<Record<PageOp, PageOpRun>> = {
  probe,
  sight,
  frame,
  snapshot,
  extract,
  wait,
  locate,
  click,
  fill,
  select_option: selectOption,
  check,
  hover,
  scroll,
  type,
  press_key: pressKey,
  drag,
};
