/** Reading workflow files (SPEC §1). */
export { MAX_SOURCE, type Position, readWorkflowSource, type Source } from './read.ts';
