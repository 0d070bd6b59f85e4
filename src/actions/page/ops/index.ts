import type { PageOp } from '../../protocol.ts';
import { article } from './article.ts';
import { click, locate } from './click.ts';
import type { PageOpRun } from './define.ts';
import { caughtLink, download, readLink } from './download.ts';
import { drag } from './drag.ts';
import { check, fill, selectOption } from './field.ts';
import { field } from './form.ts';
import { goBack } from './go-back.ts';
import { pressKey, type } from './keys.ts';
import { hover, scroll } from './pointer.ts';
import { extract, frame, probe, sight, snapshot, wait } from './read.ts';
import { shot } from './shot.ts';
import { readFile, stage } from './stage.ts';
import { uploadFile } from './upload.ts';

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
  hover,
  scroll,
  type,
  press_key: pressKey,
  drag,
  field,
  go_back: goBack,
  shot,
  stage,
  upload_file: uploadFile,
  download,
  read_link: readLink,
  caught: caughtLink,
  read_file: readFile,
};
