import { browserActions as actions, parseArguments } from '../actions/index.ts';
import { outcomeUnknown } from '../engine/retry.ts';
import type { StepType, WorkContext, WorkResult } from '../engine/step-type.ts';
import { type ErrorInfo, TabloomError } from '../model/errors.ts';
import { isObject } from '../model/json.ts';
import type { StepDefinition } from '../model/workflow.ts';
import { z } from '../model/zod.ts';
import { argumentTypes } from './argument-types.ts';
import { artifactOf } from './artifact-of.ts';
import { argumentProblems } from './browser-arguments.ts';
import { secretNames } from './secret-names.ts';

const actionOf = (step: StepDefinition) => actions.get(step.action as string);

/** Does one browser action in a tab of the run (SPEC §8). */
export const browserAction: StepType = {
  type: 'browser_action',
  title: 'Browser action',
  summary: 'Does one thing in a tab of the run: navigate, read, click, fill and so on.',
  keys: {
    action: z.string().min(1),
    arguments: z.record(z.string(), z.unknown()).optional(),
    tab: z.string().optional(),
  },
  effect: (step) => actionOf(step)?.effect ?? 'once',
  works: true,
  templated: ['arguments', 'tab'],
  secretFields: ['arguments'],
  inputField: 'arguments',
  check(step, context) {
    const { error, workflow } = context;
    const action = actionOf(step);
    if (!action)
      return [
        error(
          'schema_invalid',
          '/action',
          `There is no browser action "${step.action}"; known are ${[...actions.keys()].join(', ')}.`,
        ),
      ];
    if (!workflow.sites || workflow.sites.length === 0) {
      return [
        error(
          'site_not_allowed',
          '',
          `Name the pages that this workflow may touch in \`sites\`, for example sites: ["https://example.com/*"].`,
        ),
      ];
    }
    return argumentProblems(step, action, context);
  },
  takes: (step) => (name) => {
    const action = actionOf(step);
    return action && argumentTypes(action.args, name);
  },
  unseen: (fields, tabs) => {
    const id = typeof fields.tab === 'string' ? fields.tab : tabs.current;
    const list = tabs.list.map((tab) => (tab.tab === id ? { ...tab, unrestorable: 'acted' as const } : tab));
    return { ...tabs, list };
  },
  async run(context: WorkContext): Promise<WorkResult> {
    const { step, fields, ports } = context;
    const action = actionOf(step);
    if (!action)
      throw new TabloomError('input_invalid', `There is no browser action "${step.action}".`, { step: step.id });
    const args = parseArguments(action, isObject(fields.arguments) ? fields.arguments : {});
    const result = await ports.pages.perform({
      runId: context.runId,
      workflow: context.workflow.name,
      path: context.fullPath ?? context.path,
      attempt: context.attempt,
      action: action.name,
      arguments: args,
      // Pointers come relative to the step's fields; the action sees its arguments alone.
      secrets: context.secrets.map((use) => ({ ...use, pointer: use.pointer.replace(/^\/arguments/, '') })),
      secretNames: secretNames(context.workflow),
      tab: typeof fields.tab === 'string' ? fields.tab : undefined,
      tabs: context.tabs,
      sites: context.workflow.sites ?? [],
      restore: action.effect === 'once' && followsTabLost(context.earlier ?? []),
      approvedOrigin: context.covered?.origin,
      reopen: context.previous?.error?.code === 'tab_closed',
      artifact: async (id) => {
        const found = await ports.artifacts.artifact(id);
        if (!found || found.row.runId !== context.runId) return undefined;
        return { name: found.row.name, mediaType: found.row.mediaType, bytes: found.bytes };
      },
      looking: context.looking,
      acting: context.acting,
      timeoutMs: context.timeoutMs,
      signal: context.signal,
      interrupted: context.previous?.error?.code === 'interrupted',
      idempotencyKey: context.idempotencyKey,
    });
    if (!result.artifact) return { output: result.output, tabs: result.tabs, meta: result.meta };
    const artifact = artifactOf(context, result.artifact);
    const output = { ...artifact.output, ...(isObject(result.output) ? result.output : {}) };
    return { output, tabs: result.tabs, meta: result.meta, artifacts: [artifact.kept] };
  },
};

/** Whether an attempt before this one found its tab lost, and none since then may have acted. */
function followsTabLost(earlier: readonly ErrorInfo[]): boolean {
  const lost = earlier.findLastIndex(({ code }) => code === 'tab_lost');
  return lost >= 0 && !earlier.slice(lost + 1).some(outcomeUnknown);
}
