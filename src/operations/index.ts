import { TabloomError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { artifactRead } from './artifact.ts';
import { csvFormat, csvParse } from './csv.ts';
import { dateAdd, dateFormat, dateParse } from './date.ts';
import type { Operation, OperationContext } from './define.ts';
import { hashSha256 } from './hash.ts';
import { htmlToMarkdown } from './html.ts';
import { identity } from './identity.ts';
import { jsonParse, jsonStringify } from './json.ts';
import {
  listAverage,
  listChunk,
  listFlatten,
  listGroup,
  listMax,
  listMin,
  listSort,
  listSum,
  listUnique,
} from './list.ts';
import { schemaValidate } from './schema.ts';
import { tableDiff } from './table.ts';
import { textExtract, textJoin, textReplace, textSplit } from './text.ts';
import { transform } from './transform.ts';
import { urlBuild, urlParse } from './url.ts';

export type { Operation, OperationContext } from './define.ts';

const ALL: readonly Operation[] = [
  identity,
  transform,
  jsonParse,
  jsonStringify,
  textSplit,
  textJoin,
  textReplace,
  textExtract,
  csvParse,
  csvFormat,
  listSort,
  listUnique,
  listGroup,
  listChunk,
  listFlatten,
  listSum,
  listMin,
  listMax,
  listAverage,
  tableDiff,
  htmlToMarkdown,
  dateParse,
  dateFormat,
  dateAdd,
  urlParse,
  urlBuild,
  hashSha256,
  schemaValidate,
  artifactRead,
];

/** Every built-in operation, by id. Adding one is a file and a line here; docs and the editor's schema follow. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(ALL.map((operation) => [operation.id, operation]));

const FORBIDDEN = /[\s;|&$`<>()\\]/;

/** Why a step cannot name this operation; `undefined` when it can. Told before anything runs. */
export function operationProblem(
  id: string,
): { code: 'operation_forbidden' | 'operation_unknown'; message: string } | undefined {
  if (FORBIDDEN.test(id)) {
    return {
      code: 'operation_forbidden',
      message: `"${id.slice(0, 80)}" is not the name of a built-in operation; commands and code are never run.`,
    };
  }
  if (!OPERATIONS.has(id)) {
    return {
      code: 'operation_unknown',
      message: `There is no operation "${id.slice(0, 80)}"; use one of ${[...OPERATIONS.keys()].join(', ')}.`,
    };
  }
  return undefined;
}

/**
 * Runs a built-in operation on resolved arguments.
 * @throws TabloomError `operation_failed`; `operation_unknown` or `operation_forbidden` for an id that preflight would have refused
 */
export function runOperation(id: string, args: Json, context: OperationContext): Json {
  const operation = OPERATIONS.get(id);
  const problem = operationProblem(id);
  if (!operation || problem)
    throw new TabloomError(problem?.code ?? 'operation_unknown', problem?.message ?? `There is no operation "${id}".`);
  return operation.run(args, context);
}
