import { approval } from './approval.ts';
import { common } from './common.ts';
import { run } from './run.ts';
import { workflows } from './workflows.ts';

/** The English texts that every page needs, the popup above all: the others are added by the pages that show them. */
export const surface = { ...common, ...approval, ...run, ...workflows } as const;
