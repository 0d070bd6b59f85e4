import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { dialogSchema } from './target.ts';

export const goBack = defineAction({
  name: 'go_back',
  effect: 'once',
  summary: "Goes back one entry in the history of the run's tab, within a page or to the one before.",
  args: z.strictObject({ dialog: dialogSchema }),
  output: '{url, title}',
  pageSide: false,
  targets: [],
  title: () => 'Go back one page',
});
