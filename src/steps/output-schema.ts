import type { JsonObject } from '../model/json.ts';

/*
 * Schemas of what steps give by their type, for warnings of preflight: a path that is not there, a value of another type.
 */

export const TEXT: JsonObject = { type: 'string' };
export const NUMBER: JsonObject = { type: 'number' };
export const LIST: JsonObject = { type: 'array' };
export const ANY: JsonObject = {};

/** An object of these members and no others. */
export function objectOf(properties: Record<string, JsonObject>): JsonObject {
  return { type: 'object', properties };
}
