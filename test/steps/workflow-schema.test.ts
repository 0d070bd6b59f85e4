import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkDefinition, hasErrors } from '../../src/engine/preflight/index.ts';
import { checkSchema, validateSchema } from '../../src/engine/values/schema.ts';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { registry } from '../../src/steps/index.ts';
import { workflowSchema } from '../../src/steps/workflow-schema.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const schema = workflowSchema(registry);

/** Every workflow of the shipped examples, of our own cases and, where it is there, of the format's suite beside the project. */
function workflows(): { name: string; definition: Json }[] {
  const found: { name: string; definition: Json }[] = [];
  for (const folder of ['src/examples', 'test/cases', '../shared/cases'].map((name) => join(ROOT, name))) {
    for (const file of existsSync(folder) ? readdirSync(folder) : []) {
      if (!file.endsWith('.yaml')) continue;
      const value = parse(readFileSync(join(folder, file), 'utf8')) as JsonObject;
      const inside = file.endsWith('.test.yaml')
        ? [value, ...(value.cases as JsonObject[])].map((one) => one.workflow)
        : [value];
      inside.forEach((definition, index) => {
        if (isObject(definition)) found.push({ name: `${file} ${index}`, definition });
      });
    }
  }
  return found;
}

/** The steps of a definition, at any depth. */
function stepsIn(value: Json | undefined, found: JsonObject[] = []): JsonObject[] {
  if (Array.isArray(value)) for (const each of value) stepsIn(each, found);
  else if (isObject(value)) {
    if (typeof value.type === 'string' && registry.has(value.type) && typeof value.id === 'string') found.push(value);
    for (const each of Object.values(value)) stepsIn(each, found);
  }
  return found;
}

const good = workflows().filter(({ definition }) => !hasErrors(checkDefinition(definition, registry)));
const accepts = (definition: Json) => validateSchema(schema, definition).valid;

describe('the JSON Schema of the format', () => {
  test('can be used, and finds workflows to be tried on', () => {
    expect(checkSchema(schema)).toBeUndefined();
    expect(good.length).toBeGreaterThan(10);
  });

  test.each(good)('accepts $name', ({ definition }) => {
    expect(validateSchema(schema, definition).errors).toEqual([]);
  });

  test.each(good)(
    'refuses $name once any of its steps has an unknown key, an unknown type, or no id',
    ({ definition }) => {
      const count = stepsIn(definition).length;
      for (let index = 0; index < count; index++) {
        for (const spoil of [
          (step: JsonObject) => Object.assign(step, { dependOn: [] }),
          (step: JsonObject) => Object.assign(step, { type: 'shell' }),
          (step: JsonObject) => Object.assign(step, { onError: 'explode' }),
          (step: JsonObject) => void delete step.id,
        ]) {
          const copy = structuredClone(definition);
          spoil(stepsIn(copy)[index] as JsonObject);
          expect(accepts(copy), JSON.stringify(stepsIn(copy)[index])).toBe(false);
        }
      }
    },
  );

  const base = (more: JsonObject, step: JsonObject = {}): JsonObject => ({
    format: 'tabloom/v1',
    id: 'a',
    name: 'A',
    steps: [{ id: 's', type: 'recipe', prompt: 'x', ...step }],
    ...more,
  });

  test('a file that is right, in all the ways that templates allow', () => {
    expect(accepts(base({}))).toBe(true);
    expect(accepts(base({}, { temperature: '{{workflow_input.t}}', when: { op: 'exists', input: 1 } }))).toBe(true);
    expect(accepts(base({}, { timeout: 1000, retry: { delay: '250ms' } }))).toBe(true);
    expect(accepts(base({ output: '{{step.s.text}}' }))).toBe(true);
  });

  test.each<[string, JsonObject]>([
    ['another format', base({ format: 'tabloom/v2' })],
    ['no steps', base({ steps: [] })],
    ['an id that is none', base({ id: 'Not An Id' })],
    ['an unknown key', base({ recipies: {} })],
    ['a choice that is not there', base({ onFailure: 'explode' })],
    ['a key of another step type', base({}, { operation: 'identity' })],
    ['a number that is too large', base({}, { temperature: 3 })],
    ['a text that is no template where a number is due', base({}, { temperature: 'warm' })],
    ['a duration out of bounds', base({}, { timeout: 10 })],
    ['a condition of no kind', base({}, { when: { op: 'like', input: 1 } })],
    ['a fallback of two kinds', base({}, { fallback: { value: 1, cached: true } })],
    ['cache where nothing is looked up', base({ steps: [{ id: 'w', type: 'wait', for: '1s', cache: { ttl: '1h' } }] })],
  ])('refuses %s, as preflight does', (_, definition) => {
    expect(accepts(definition)).toBe(false);
    expect(hasErrors(checkDefinition(definition, registry))).toBe(true);
  });

  test('every key is described, those of every step type too', () => {
    const bare: string[] = [];
    const look = (value: Json | undefined, at: string): void => {
      for (const [index, each] of Array.isArray(value) ? value.entries() : []) look(each, `${at}/${index}`);
      if (!isObject(value)) return;
      for (const [key, member] of Object.entries(isObject(value.properties) ? value.properties : {})) {
        const common =
          isObject(member) && typeof member.$ref === 'string' && member.$ref.includes('/common/properties/');
        if (isObject(member) && member.description === undefined && !common && !at.includes('allOf'))
          bare.push(`${at}/${key}`);
      }
      for (const [key, member] of Object.entries(value)) look(member, `${at}/${key}`);
    };
    look(schema, '');
    expect(bare).toEqual([]);
  });

  test('each step type of the registry is there, told apart by its type', () => {
    const { step } = schema.$defs as { step: { properties: { type: { anyOf: { const: string }[] } } } };
    expect(step.properties.type.anyOf.map((each) => each.const)).toEqual([...registry.keys()]);
  });
});
