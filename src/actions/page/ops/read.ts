import type { Target } from '../../describe.ts';
import { type ExtractArgs, extractFrom } from '../extract/read.ts';
import { findOne } from '../find/resolve.ts';
import { frameSpot, probeFrame } from '../frames.ts';
import { takeSight } from '../sight.ts';
import { type SnapshotArgs, takeSnapshot } from '../snapshot/index.ts';
import { checkWait, type WaitState } from '../wait.ts';
import type { PageOpRun } from './define.ts';

/** Requests that look and change nothing. */

export const probe: PageOpRun = () => ({ value: { ...probeFrame() } });

export const sight: PageOpRun = (args) => ({ value: takeSight(args as { selector?: string }) });

export const frame: PageOpRun = ({ target }) => {
  const { element, matched } = findOne(target as Target, { hidden: false });
  return { value: { ...frameSpot(element) }, matched };
};

export const snapshot: PageOpRun = (args) => takeSnapshot(args as unknown as SnapshotArgs);

export const extract: PageOpRun = (args) => extractFrom(args as unknown as ExtractArgs);

export const wait: PageOpRun = (args) => ({
  value: checkWait(args as unknown as { target?: Target; state: WaitState; text?: string }),
});
