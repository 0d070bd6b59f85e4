/** Reading workflow files (SPEC §1). */
export { decodeSource } from './bytes.ts';
export { MAX_SOURCE, type Position, readWorkflowSource, type Source } from './read.ts';
