import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';

/** The arguments of `artifact.read`, with what is left out filled in. */
export const artifactReadArguments = z.strictObject({
  artifactId: z.string(),
  as: z.enum(['text', 'base64']).default('text'),
});

/** Names the operation. It looks into the run's files, so a step does it: src/steps/artifact-read.ts. */
export const artifactRead = defineOperation({
  id: 'artifact.read',
  summary: 'Reads a file that this run keeps, as text (UTF-8) or as base64.',
  args: artifactReadArguments,
  output: 'text',
  work() {
    throw new OperationFailure('it reads the files of a run, and only a step of that run can');
  },
});
