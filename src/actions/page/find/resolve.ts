import { describeTarget, type Target, type TargetDefinition } from '../../describe.ts';
import { isInside, type Root } from '../dom.ts';
import { PageError } from '../env.ts';
import { nameOf } from '../name.ts';
import { roleOf } from '../role.ts';
import { textOf, tidy } from '../text.ts';
import { isVisible } from '../visibility.ts';
import { matches } from './match.ts';

export interface FindOptions {
  scope?: Root | Element;
  /** Count hidden elements too (waiting for `attached` and `detached`). */
  hidden?: boolean;
}

/** An element found, and which alternative of the target it came from. */
export interface Found {
  element: Element;
  matched: number;
}

/** The alternatives of a target; one is a list of one. */
export function alternatives(target: Target): TargetDefinition[] {
  return Array.isArray(target) ? target : [target];
}

/** All elements that one target names; visible ones only, unless asked otherwise. `nth` is applied. */
export function findAll(target: TargetDefinition, options: FindOptions = {}): Element[] {
  const outer = target.within ? findOne(target.within, options).element : options.scope;
  let found = matches(target, outer ?? document);
  if (outer instanceof Element && target.ref !== undefined) found = found.filter((element) => isInside(element, outer));
  if (!options.hidden) found = found.filter(isVisible);
  if (target.nth === undefined) return found;
  const picked = found.at(target.nth);
  return picked ? [picked] : [];
}

/**
 * The one element that a target names. Alternatives are tried in order; one that is ambiguous is passed over as long as a later one is not.
 * @throws PageError `element_not_found` (worth waiting for), `target_ambiguous`, `ref_stale`, `input_invalid`.
 */
export function findOne(target: Target, options: FindOptions = {}): Found {
  let failure: PageError | undefined;
  const list = alternatives(target);
  for (const [matched, one] of list.entries()) {
    try {
      const found = reachable(findAll(one, options), options);
      const [element] = found;
      if (element && found.length === 1) return { element, matched };
      if (element) failure = worse(failure, ambiguous(one, found));
      else failure ??= missing(list.length > 1 ? list : one, one, options);
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      failure = worse(failure, error);
    }
  }
  throw failure ?? new PageError('input_invalid', 'Give at least one target.');
}

/**
 * Of several elements those that a person sees or can point at. A page that draws a field of its own often leaves the browser's under it, fully
 * transparent and out of the pointer's way: alone it stands for itself (boxes are drawn so), beside its stand-in for nothing.
 */
function reachable(found: Element[], { hidden }: FindOptions): Element[] {
  if (hidden || found.length < 2) return found;
  const left = found.filter(
    (one) => one.checkVisibility({ opacityProperty: true }) || getComputedStyle(one).pointerEvents !== 'none',
  );
  return left.length === 1 ? left : found;
}

/** Of two failures the one that says more: what is final beats what may still come, unless an alternative may still come. */
function worse(known: PageError | undefined, next: PageError): PageError {
  if (!known) return next;
  return known.wait && !next.wait && next.info.code === 'target_ambiguous' ? next : known;
}

function missing(all: Target, one: TargetDefinition, options: FindOptions): PageError {
  const hidden =
    !options.hidden &&
    one.ref === undefined &&
    findAll({ ...one, nth: undefined }, { ...options, hidden: true }).length;
  const what = describeTarget(all);
  const message = hidden
    ? `Make ${what} visible first: it is on the page but hidden.`
    : `Check the target: ${what} is not on the page ${location.origin}.`;
  return new PageError('element_not_found', message, { wait: true, details: { target: what, hidden: hidden || 0 } });
}

function ambiguous(target: TargetDefinition, found: Element[]): PageError {
  const candidates = found.slice(0, 10).map((element, nth) => `nth ${nth}: ${describe(element)}`);
  return new PageError(
    'target_ambiguous',
    `Say which with nth, within or exact: ${found.length} elements fit ${describeTarget(target)} (${candidates.slice(0, 5).join('; ')}).`,
    { details: { count: found.length, candidates } },
  );
}

/** An element in a few words for messages: role and name, or tag, id and the start of its text. */
export function describe(element: Element): string {
  const role = roleOf(element);
  const name = nameOf(element) || tidy(textOf(element));
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  const id = element.getAttribute('id');
  const tag = element.localName + (id ? `#${id}` : '');
  const word = role && role !== 'document' ? role : `<${tag}>`;
  return short ? `${word} "${short}"` : word === role ? `${word} <${tag}>` : word;
}
