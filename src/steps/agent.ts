import type { CallDefinition, CheckContext, StepType } from '../engine/step-type.ts';
import type { Problem, StepDefinition, WorkflowDefinition } from '../model/workflow.ts';
import { z } from '../model/zod.ts';
import { talkOf } from './agent-talk.ts';
import { allowedTools, callOf, profileOf } from './agent-tools.ts';
import { modelTurn, TURN } from './agent-turn.ts';
import { objectOf, TEXT } from './output-schema.ts';

/**
 * Lets a model work towards a goal with tools. Each model turn and each tool call is a step run of its own below it (`act[0]/model`,
 * `act[1]/browser_click`), so that nothing that is done is done again, and nothing is done that was not asked for.
 */
export const agent: StepType = {
  type: 'agent',
  title: 'Agent',
  summary: 'Lets a model work towards a goal with the tools that its profile and the step allow.',
  keys: {
    agent: z.string().min(1),
    goal: z.string().min(1),
    input: z.json().optional(),
    tools: z.array(z.string()).optional(),
    maxTurns: z.int().min(1).max(200).optional(),
    context: z.array(z.string()).optional(),
    approve: z.union([z.enum(['writes', 'none', 'all']), z.array(z.string())]).optional(),
  },
  effect: () => 'none',
  works: true,
  templated: ['goal', 'input', 'context'],
  inputField: 'input',
  inputRoot: true,
  entry: (step) => ({ kind: 'agent', id: String(step.agent) }),
  model: (step, workflow) => profileOf(step, workflow)?.model,
  output: (step) => (step.outputSchema ? undefined : objectOf({ text: TEXT })),
  check,
  calls,
  container: {
    next({ step, workflow, opened, settled, outcomes, failed }) {
      if (failed?.error) return { done: { error: failed.error } };
      if (opened > settled) return {};
      const { next, index } = talkOf(step, workflow, outcomes);
      switch (next.kind) {
        case 'turn':
          return { start: [{ name: TURN, index, input: { turn: next.turn } }] };
        case 'call':
          return { start: [{ name: next.name, index, input: next.input }] };
        case 'done':
          return { done: { output: next.output } };
        case 'fail':
          return { done: { error: next.error } };
      }
    },
  },
};

function calls(step: StepDefinition, workflow: WorkflowDefinition): CallDefinition[] {
  const turn: StepDefinition = { id: TURN, type: modelTurn.type };
  const own = step.onInterrupted === undefined ? {} : { onInterrupted: step.onInterrupted };
  return [
    { call: 'model', def: turn, type: modelTurn },
    ...allowedTools(step, workflow).flatMap((name): CallDefinition[] => {
      const def = callOf(name);
      return def ? [{ call: 'tool', def: { ...def, name, ...own } }] : [];
    }),
  ];
}

function check(step: StepDefinition, context: CheckContext): Problem[] {
  const { workflow, error } = context;
  const profile = profileOf(step, workflow);
  if (!profile) {
    const message = `There is no agent "${step.agent}": add its profile under agents or to the library, or correct the name.`;
    return [error('agent_missing', '/agent', message)];
  }
  const problems: Problem[] = [];
  const known = Array.isArray(profile.tools) ? profile.tools : [];
  for (const name of known) {
    const call = callOf(name);
    if (call && context.knows(call.type)) continue;
    const message = call
      ? `Take the tool "${name}" out of the agent "${step.agent}": this version does not run steps of type ${call.type} yet.`
      : `There is no tool "${name}": the agent "${step.agent}" can have browser_<action>, mcp__<server>__<tool>, run_<workflow>, kb_search, or a built-in operation.`;
    problems.push(error('tool_unknown', '/agent', message));
  }
  for (const field of ['tools', 'approve'] as const) {
    const names = Array.isArray(step[field]) ? (step[field] as string[]) : [];
    names.forEach((name, index) => {
      if (known.includes(name)) return;
      const message = `Give the agent "${step.agent}" the tool "${name}" under agents, or leave it out here.`;
      problems.push(error('tool_unknown', `/${field}/${index}`, message));
    });
  }
  const browses = allowedTools(step, workflow).some((name) => callOf(name)?.type === 'browser_action');
  if (browses && !workflow.sites?.length) {
    const message = 'Name the pages that this workflow may touch in `sites`: the agent has browser tools.';
    problems.push(error('site_not_allowed', '', message));
  }
  return problems;
}
