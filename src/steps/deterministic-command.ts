import type { StepType } from '../engine/step-type.ts';
import { z } from '../model/zod.ts';
import { OPERATIONS, operationProblem, runOperation } from '../operations/index.ts';
import { argumentTypes } from './argument-types.ts';
import { artifactReadOf } from './artifact-read.ts';

/** Runs one built-in pure operation. The output is the operation's bare value. */
export const deterministicCommand: StepType = {
  type: 'deterministic_command',
  title: 'Command',
  summary: 'Runs a built-in pure operation: text, lists, CSV, dates, JSON and so on. No code, no shell.',
  keys: { operation: z.string().min(1), arguments: z.unknown().optional() },
  effect: () => 'pure',
  works: true,
  templated: ['arguments'],
  inputField: 'arguments',
  variant: (step) => (step.operation === 'artifact.read' ? reading : undefined),
  check(step, { error }) {
    const problem = operationProblem(step.operation as string);
    return problem ? [error(problem.code, '/operation', problem.message)] : [];
  },
  takes: (step) => (name) => {
    const operation = OPERATIONS.get(step.operation as string);
    return operation && argumentTypes(operation.args, name);
  },
  compute: (fields, { step, scope }) => ({
    output: runOperation(step.operation as string, fields.arguments ?? {}, { scope }),
  }),
};

const reading = artifactReadOf(deterministicCommand);
