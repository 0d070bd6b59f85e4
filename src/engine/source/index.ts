/** Reading workflow files (SPEC §1). */
export { MAX_SOURCE, readWorkflowSource, type Position, type Source } from './read.ts';
