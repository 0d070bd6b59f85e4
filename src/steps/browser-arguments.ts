import { checkArguments } from '../actions/check-arguments.ts';
import type { BrowserAction } from '../actions/index.ts';
import { edgesOf } from '../engine/plan.ts';
import type { CheckContext } from '../engine/step-type.ts';
import { isSource } from '../engine/values/fields.ts';
import { isLocalHost } from '../engine/values/local-network.ts';
import { siteAllows } from '../engine/values/sites.ts';
import { isObject, type Json } from '../model/json.ts';
import type { Problem, StepDefinition } from '../model/workflow.ts';

/**
 * What preflight can say of the arguments of a browser action: keys that it does not have, values that fit whatever the templates give,
 * and fixed addresses outside the workflow's sites.
 */
export function argumentProblems(step: StepDefinition, action: BrowserAction, context: CheckContext): Problem[] {
  const { error, workflow } = context;
  const args = (step.arguments ?? {}) as Json;
  const carried = edgesOf(step, undefined).filter((edge) => edge.carries);
  // Named outright, or carried by an edge as a whole: nothing is known before the run.
  if (!isObject(args) || isSource(args) || carried.some((edge) => edge.input === undefined)) return [];
  const open = new Set(carried.flatMap((edge) => (edge.input === undefined ? [] : [edge.input])));
  for (const [key, value] of Object.entries(args)) if (isSource(value)) open.add(key);

  const problems: Problem[] = [];
  for (const { path, message } of checkArguments(action, args, open)) {
    const field = path.join('.') || 'arguments';
    const pointer = ['', 'arguments', ...path.map((key) => escapePointer(String(key)))].join('/');
    problems.push(error('schema_invalid', pointer, `Correct "${field}" of ${action.name}: ${message}.`));
  }
  if (ADDRESSED.has(action.name) && typeof args.url === 'string' && !args.url.includes('{{')) {
    problems.push(...addressProblems(args.url, workflow.sites ?? [], error));
  }
  return problems;
}

/** Actions that open the address in their argument `url`; elsewhere a `url` is a pattern to compare with. */
const ADDRESSED = new Set(['navigate', 'open_tab', 'download']);

function addressProblems(url: string, sites: string[], error: CheckContext['error']): Problem[] {
  if (url !== '' && !URL.canParse(url)) {
    return [
      error(
        'schema_invalid',
        '/arguments/url',
        `Write a whole address such as https://example.com/list: "${url}" is none.`,
      ),
    ];
  }
  if (url === '' || siteAllows(sites, url)) return [];
  const { origin, hostname } = new URL(url);
  const why = isLocalHost(hostname) ? ' Patterns for any host do not reach this computer and its network.' : '';
  return [
    error(
      'site_not_allowed',
      '/arguments/url',
      `Add ${origin}/* to the workflow's sites, or correct the address ${url}.${why}`,
    ),
  ];
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}
