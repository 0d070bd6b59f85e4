import { diagnostics } from './diagnostics.ts';
import { entries } from './entries.ts';
import { inspect } from './inspect.ts';
import { knowledge } from './knowledge.ts';
import { library } from './library.ts';
import { settings } from './settings.ts';
import { surface } from './surface.ts';
import { triggers } from './triggers.ts';

/** The English catalogue: complete, and the measure for every other one. Sentences say what to do, in plain words. */
export const en = {
  ...surface,
  ...inspect,
  ...library,
  ...settings,
  ...diagnostics,
  ...triggers,
  ...knowledge,
  ...entries,
} as const;
