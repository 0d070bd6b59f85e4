import { approval } from './approval.ts';
import { common } from './common.ts';
import { run } from './run.ts';
import { workflows } from './workflows.ts';

/** The English texts that every page needs, the popup above all: those of settings and welcome are only on the app page. */
export const surface = { ...common, ...approval, ...run, ...workflows } as const;
