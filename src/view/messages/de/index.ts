import type { Catalogue } from '../types.ts';
import { approval } from './approval.ts';
import { common } from './common.ts';
import { diagnostics } from './diagnostics.ts';
import { entries } from './entries.ts';
import { knowledge } from './knowledge.ts';
import { run } from './run.ts';
import { settings } from './settings.ts';
import { triggers } from './triggers.ts';
import { workflows } from './workflows.ts';

/** The German catalogue, complete. */
export const de: Catalogue = {
  ...common,
  ...approval,
  ...run,
  ...workflows,
  ...settings,
  ...diagnostics,
  ...triggers,
  ...knowledge,
  ...entries,
};
