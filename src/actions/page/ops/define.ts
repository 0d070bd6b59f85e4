import type { Json, JsonObject } from '../../../model/json.ts';

/** What a request to the page came to. */
export interface Answer {
  value: Json;
  /** Which of several alternatives of the target matched. */
  matched?: number;
}

/**
 * One kind of request to the page script. It looks once: a `PageError` that says `wait` has it called again while there is time.
 * @param begin to be called right before the page is changed: from there on nothing is called off or looked for again
 */
export type PageOpRun = (args: JsonObject, begin: () => void) => Promise<Answer> | Answer;
