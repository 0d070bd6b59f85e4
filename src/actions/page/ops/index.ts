import type { PageOp } from '../../protocol.ts';
import { article } from './article.ts';
import { click, locate } from './click.ts';
import type { PageOpRun } from './define.ts';
import { check, fill, selectOption } from './field.ts';
import { extract, frame, probe, sight, snapshot, wait } from './read.ts';

/** All that can be asked of the page script. */
export const PAGE_OPS: Readonly<Record<PageOp, PageOpRun>> = {
  probe,
  sight,
  frame,
  snapshot,
  extract,
  article,
  wait,
  locate,
  click,
  fill,
  select_option: selectOption,
  check,
};
