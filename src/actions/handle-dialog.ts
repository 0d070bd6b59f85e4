import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { quote } from './describe.ts';

export const handleDialog = defineAction({
  name: 'handle_dialog',
  effect: 'once',
  summary:
    "Sets the tab's answer to dialogs of the page's origin from then on; a step's own `dialog` goes before it. Nothing opens.",
  args: z.strictObject({ accept: z.boolean(), text: z.string().optional() }),
  output: 'null',
  pageSide: false,
  targets: [],
  title: (args) => {
    if (args.accept === false) return 'Dismiss dialogs from now on';
    return args.text === undefined
      ? 'Accept dialogs from now on'
      : `Accept dialogs from now on, with ${quote(args.text)}`;
  },
});
