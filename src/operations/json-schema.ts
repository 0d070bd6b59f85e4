import type { Json, JsonObject } from '../model/json.ts';
import { z } from '../model/zod.ts';

function isJson(value: unknown): value is Json {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
}

/** Any JSON value, handed through as it is (it has been JSON all the way). */
export const anyJson = z.custom<Json>(isJson, 'a value is missing');

/** A JSON object, handed through as it is. */
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** A list of any JSON values, handed through as it is. */
export const jsonList = z.custom<Json[]>((value) => Array.isArray(value), 'must be a list');
