import type { Solver } from '../episode.ts';
import { CLICKS } from './clicks.ts';
import { FIELDS } from './fields.ts';
import { GESTURES } from './gestures.ts';
import { SHAPES } from './shapes.ts';
import { SITES } from './sites.ts';

/** A solver for each task of MiniWoB++ that is tried, by the name of its page. */
export const TASKS: Readonly<Record<string, Solver>> = { ...CLICKS, ...FIELDS, ...SITES, ...SHAPES, ...GESTURES };

/** Tasks that are left out, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['bisect-angle', 'circle-center', 'draw-circle', 'draw-line', 'find-midpoint', 'hot-cold', 'right-angle'].map(
      (name) => [name, 'needs a click or a stroke at a position inside an element, which no action takes'],
    ),
  ),
  'chase-circle': 'needs the pointer to follow what moves',
  'drag-cube': 'needs a drag by a distance, which no action takes',
  'hover-shape': 'never rewards anything: its page has no end but the time limit',
  'moving-items': 'needs clicks on what moves, for which an action waits until it stands still',
};
