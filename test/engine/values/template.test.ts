import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolve } from '../../../src/engine/values/template.ts';
import { canonicalJson } from '../../../src/model/canonical.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import type { Json } from '../../../src/model/json.ts';
import { plainScope } from '../../../src/model/roots.ts';

const where = { step: 'each[0]/say', field: 'prompt' };
const json = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<Json>;

function failure(work: () => unknown): TabloomError {
  try {
    work();
  } catch (error) {
    if (TabloomError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('templates', () => {
  it('any JSON value as a whole template: comes back with its type', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(resolve('{{workflow_input.v}}', plainScope({ workflow_input: { v: value } }), where)).toBe(value);
      }),
    );
  });

  it('any JSON value inside text: texts as they are, null as nothing, the rest as compact JSON with sorted keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        const expected = typeof value === 'string' ? value : value === null ? '' : canonicalJson(value);
        expect(resolve('<{{workflow_input.v}}>', plainScope({ workflow_input: { v: value } }), where)).toBe(
          `<${expected}>`,
        );
      }),
    );
  });

  it('a text beyond what is kept compiled: each time the same', () => {
    const text = `${'x'.repeat(12_000)}{{workflow_input.v}}`;
    for (const v of ['a', 'b'])
      expect(resolve(text, plainScope({ workflow_input: { v } }), where)).toBe(`${'x'.repeat(12_000)}${v}`);
  });

  it('an expression too long to be said again: its beginning; a lone brace does not close one', () => {
    const scope = plainScope({ workflow_input: { v: 1 } });
    const long = failure(() => resolve(`{{workflow_input.v + ${'true + '.repeat(40)}1}}`, scope, where));
    expect([long.code, long.info.path?.length]).toEqual(['template_unresolved', 120]);
    expect(failure(() => resolve('{{workflow_input.v } }}', scope, where)).code).toBe('template_invalid');
    expect(resolve('{{{"a": 1}.a}} {{r"}}" + \'}}\'}}', scope, where)).toBe('1 }}}}');
  });

  it('a field of the workflow itself: is named without a step', () => {
    const { info } = failure(() => resolve('{{step.a}}', plainScope({}), { step: '', field: 'output.total' }));
    expect([info.message.startsWith('In output.total: '), info.step]).toEqual([true, undefined]);
  });

  it('a fault of what gives the values: is not taken for one of the template', () => {
    const broken = {
      root: () => {
        throw new TypeError('a bug');
      },
      member: () => undefined,
    };
    expect(() => resolve('{{workflow_input.v}}', broken, where)).toThrow(TypeError);
  });

  it('arbitrary text: resolves to something or fails with one of the two codes, and never otherwise', () => {
    const scope = plainScope({ workflow_input: { a: 1 }, step: {} });
    const pieces = fc.constantFrom(
      '{{',
      '}}',
      '{',
      '}',
      '"',
      "'",
      '\\',
      'workflow_input',
      '.a',
      '[0]',
      ' ',
      '+',
      '?',
      ':',
      'has(',
      ')',
      'loop',
      'x',
      '//',
      '1',
      'r"',
      '"""',
      'é',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            resolve(text, scope, where);
          } catch (error) {
            expect(
              TabloomError.is(error) && ['template_invalid', 'template_unresolved'].includes(error.code),
              String(error),
            ).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('text without braces: stays the same, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('{{')),
        (text) => {
          expect(resolve(text, plainScope({}), where)).toBe(text);
        },
      ),
    );
  });

  it('lists and objects: filled in deep, keys left alone, parts without templates handed back uncopied', () => {
    const still = { a: [1] };
    const out = resolve(
      { '{{x}}': ['{{workflow_input.n}}', { k: 'n={{workflow_input.n}}' }], still },
      plainScope({ workflow_input: { n: 2 } }),
      where,
    );
    expect(out).toEqual({ '{{x}}': [2, { k: 'n=2' }], still: { a: [1] } });
    expect((out as { still: Json }).still).toBe(still);
  });

  it('data that looks like a template, or like code: stays text', () => {
    for (const text of [
      '{{step.say.text}}',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: other template languages must mean nothing here
      '${7*7}',
      '<%= 7*7 %>',
      '#{7*7}',
      "{{constructor.constructor('return 1')()}}",
      '{{',
      '}}',
    ]) {
      const scope = plainScope({ workflow_input: { v: text } });
      expect(resolve('{{workflow_input.v}}', scope, where)).toBe(text);
      expect(resolve('<{{workflow_input.v}}>', scope, where)).toBe(`<${text}>`);
    }
  });

  it('braces in quotes and maps inside an expression: do not end it', () => {
    expect(resolve('a{{"}}"}}b', plainScope({}), where)).toBe('a}}b');
    expect(resolve('{{ {"a": {"b": 1}}}}', plainScope({}), where)).toEqual({ a: { b: 1 } });
    expect(resolve("{{'it''s' == 'x' ? 1 : 2}}".replace("''", "\\'"), plainScope({}), where)).toBe(2);
    expect(resolve('{{"{{"}} and {{"}}"}}', plainScope({}), where)).toBe('{{ and }}');
  });

  it('a path that is not there: template_unresolved with step, field and the first missing part', () => {
    const scope = plainScope({ workflow_input: { rows: [{ n: 1 }] } });
    const error = failure(() => resolve({ list: ['{{workflow_input.rows[3].n}}'] }, scope, where));
    expect(error.info).toMatchObject({
      code: 'template_unresolved',
      step: 'each[0]/say',
      field: 'prompt.list[0]',
      path: 'workflow_input.rows[3]',
    });
    expect(error.message).toContain('each[0]/say');
    expect(error.message).toContain('prompt.list[0]');
    expect(error.message).toContain('workflow_input.rows[3]');
  });

  it('a root that is not there in this place: template_unresolved', () => {
    expect(failure(() => resolve('{{loop_item.name}}', plainScope({}), where)).info).toMatchObject({
      code: 'template_unresolved',
      path: 'loop_item',
    });
  });

  it('a text that cannot be read: template_invalid, also for unknown roots and functions', () => {
    for (const text of [
      '{{',
      '{{}}',
      '{{ }}',
      '{{a b}}',
      '{{nothing.here}}',
      '{{eval("1")}}',
      '{{step.x.foo()}}',
      '{{"open}}',
      '{{1 +}}',
      '{{has(1)}}',
    ]) {
      expect(failure(() => resolve(text, plainScope({}), where)).code, text).toBe('template_invalid');
    }
  });

  it('a secret outside the fields for it: template_invalid, also inside an expression', () => {
    const scope = plainScope({ secret: { pin: '1234' } });
    for (const text of [
      '{{secret.pin}}',
      '{{secret.pin + "x"}}',
      '{{has(secret.pin) ? "1" : "2"}}',
      '{{secret["pin"] == "1"}}',
    ]) {
      const error = failure(() => resolve(text, scope, where));
      expect(error.code, text).toBe('template_invalid');
      expect(error.message).not.toContain('1234');
    }
    expect(resolve('{{"secret"}}', scope, where)).toBe('secret');
  });

  it('a name with a dash subtracted by mistake: the error says how to write it', () => {
    const error = failure(() =>
      resolve('{{step.my-step.text == "x"}}', plainScope({ step: { 'my-step': { text: 'x' } } }), where),
    );
    expect(error.message).toContain('step["my-step"]');
  });
});
