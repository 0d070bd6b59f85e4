import { TabloomError } from '../../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { SecretUse } from '../../../ports/pages.ts';
import { askPage } from '../ask.ts';
import type { PageAct } from './context.ts';
import { type FieldOp, setOne } from './field.ts';

/** How a field is set, as the page says. */
interface Kind {
  op: FieldOp;
  multiple: boolean;
}

type Field = { target: Json; value: Json };

/** Sets several fields. All of them are found before the first is changed. */
export const fillForm: PageAct = async (context, acting, args, given) => {
  const { driver, call, token } = context;
  const fields = args.fields as Field[];
  const kinds: Kind[] = [];
  for (const [index, { target, value }] of fields.entries()) {
    const asked = askPage(driver, acting, 'field', { target, type: typeOf(value) });
    kinds.push((await asked.catch(naming(index))).value as unknown as Kind);
  }
  const values: Json[] = [];
  for (const [index, kind] of kinds.entries()) {
    const setting = {
      op: kind.op,
      args: argumentsOf(kind, fields[index] as Field),
      given: argumentsOf(kind, (given.fields as Field[])[index] as Field),
      secrets: secretsOf(call.secrets, index, kind),
      token: `${token}#field${index}`,
    };
    const { value } = await setOne(context, acting, setting).catch(naming(index));
    values.push(readOf(kind, value));
  }
  return context.withDialogs({ values }, acting.tab);
};

function typeOf(value: Json): string {
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'list' : 'text';
}

/** A field's target and value as the action takes them that sets a field of its kind. */
function argumentsOf({ op, multiple }: Kind, { target, value }: Field): JsonObject {
  if (op === 'fill') return { target, value };
  if (op === 'check') return { target, checked: value };
  if (Array.isArray(value)) return { target, values: value };
  return { target, values: value === null && multiple ? [] : [value === null ? '' : String(value)] };
}

/** What of the form's secrets is this field's, with pointers into its own arguments. */
export function secretsOf(secrets: readonly SecretUse[], index: number, { op }: Kind): SecretUse[] {
  const prefix = `/fields/${index}/`;
  return secrets.flatMap(({ pointer, parts }) => {
    if (!pointer.startsWith(prefix)) return [];
    const own = `/${pointer.slice(prefix.length)}`;
    if (op === 'fill') return [{ pointer: own, parts }];
    // One value is a list of one there.
    return [{ pointer: own.replace(/^\/value$/, '/values/0').replace(/^\/value\//, '/values/'), parts }];
  });
}

function readOf({ op, multiple }: Kind, output: JsonObject): Json {
  if (op === 'fill') return output.value ?? '';
  if (op === 'check') return output.checked ?? false;
  const values = (output.values ?? []) as Json[];
  return multiple ? values : (values[0] ?? null);
}

/** An error of one field of several says of which. */
function naming(index: number): (error: unknown) => never {
  return (error) => {
    if (!TabloomError.is(error)) throw error;
    const { code, message, details, ...more } = error.info;
    const named = { ...(isObject(details) ? details : {}), field: index };
    throw new TabloomError(code, `${message.replace(/\.$/, '')} (field ${index + 1} of the form).`, {
      ...more,
      details: named,
    });
  };
}
