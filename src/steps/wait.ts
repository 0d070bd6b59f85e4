import { notWithin, pageUrlProblem, pageWithinSites } from '../engine/page-wait.ts';
import type { CheckContext, StepType } from '../engine/step-type.ts';
import { durationMs, parseDuration } from '../model/duration.ts';
import { isObject, type Json } from '../model/json.ts';
import type { Problem, StepDefinition } from '../model/workflow.ts';
import { z } from '../model/zod.ts';
import { ANY, objectOf, TEXT } from './output-schema.ts';

const KINDS = ['for', 'until', 'signal', 'page'] as const;
const LONGEST = durationMs('365d');

/** Waits for a time, a signal or a page; a manual *wake* ends it too. Output: `{wokenBy, payload}`. */
export const wait: StepType = {
  type: 'wait',
  title: 'Wait',
  summary: 'Waits for a length of time, until a moment, for a signal, or until a page is open in the browser.',
  keys: {
    for: z.union([z.string(), z.number()]).optional(),
    until: z.union([z.string(), z.number()]).optional(),
    signal: z.string().min(1).optional(),
    page: z
      .strictObject({
        url: z.string().min(1, 'an address such as https://example.com/done*'),
        selector: z.string().trim().min(1, 'a CSS selector').optional(),
      })
      .optional(),
    timeout: z.union([z.string(), z.number()]).optional(),
  },
  effect: () => 'none',
  works: false,
  templated: [...KINDS, 'timeout'],
  output: () => objectOf({ wokenBy: TEXT, payload: ANY }),
  wait: 'wait',
  check(step, context) {
    const { error } = context;
    const named = KINDS.filter((kind) => step[kind] !== undefined);
    if (named.length !== 1)
      return [error('schema_invalid', '', 'A wait needs exactly one of for, until, signal or page.')];
    return [...timeoutProblems(step, context), ...pageProblems(step, context)];
  },
};

function timeoutProblems(step: StepDefinition, { error }: CheckContext): Problem[] {
  const timeout = step.timeout as Json | undefined;
  if (timeout === undefined || isTemplate(timeout)) return [];
  const ms = parseDuration(timeout);
  if (ms !== undefined && ms <= LONGEST) return [];
  return [error('schema_invalid', '/timeout', 'Give `timeout` a duration such as 90s or 2h, at most 365d.')];
}

/** Pages that are named outright, against the workflow's sites. What templates name is checked when the step begins. */
function pageProblems(step: StepDefinition, { error, workflow }: CheckContext): Problem[] {
  const page = step.page as Json | undefined;
  if (!isObject(page) || typeof page.url !== 'string') return [];
  const sites = workflow.sites ?? [];
  if (sites.length === 0)
    return [error('site_not_allowed', '/page/url', 'Name the pages that this workflow may look at in `sites`.')];
  if (isTemplate(page.url)) return [];
  const bad = pageUrlProblem(page.url);
  if (bad !== undefined) return [error('schema_invalid', '/page/url', `Correct the address: ${bad}.`)];
  return pageWithinSites(sites, page.url) ? [] : [error('site_not_allowed', '/page/url', notWithin(page.url))];
}

function isTemplate(value: Json): boolean {
  return typeof value === 'string' && value.includes('{{');
}
