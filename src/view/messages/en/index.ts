import { approval } from './approval.ts';
import { common } from './common.ts';
import { run } from './run.ts';
import { settings } from './settings.ts';
import { workflows } from './workflows.ts';

/** The English catalogue: complete, and the measure for every other one. Sentences say what to do, in plain words. */
export const en = { ...common, ...approval, ...run, ...workflows, ...settings } as const;
