import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Translator } from './messages/index.ts';

/** Words for a page target (SPEC §8): `“Submit” (button)`, alternatives joined by "or else". Texts are shown to the letter. */
export function targetText(target: Json | undefined, tr: Translator): string {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) {
    const all = target.map((one) => targetText(one, tr));
    return all.length === 0
      ? tr.t('target.unknown')
      : all.reduce((before, next) => tr.t('target.or', { target: before, other: next }));
  }
  if (!isObject(target)) return tr.t('target.unknown');
  let text = base(target, tr);
  if (typeof target.nth === 'number') text = tr.t('target.nth', { target: text, n: target.nth });
  if (target.within !== undefined) text = tr.t('target.within', { target: text, outer: targetText(target.within, tr) });
  if (target.frame !== undefined) text = tr.t('target.frame', { target: text, outer: targetText(target.frame, tr) });
  return text;
}

function base(target: JsonObject, tr: Translator): string {
  const text = (key: string) => (typeof target[key] === 'string' ? (target[key] as string) : undefined);
  const role = text('role');
  const name = text('name');
  if (role !== undefined && name !== undefined) return tr.t('target.named', { name, role });
  if (role !== undefined) return tr.t('target.role', { role });
  const label = text('label');
  if (label !== undefined) return tr.t('target.label', { text: label });
  const plain = text('text');
  if (plain !== undefined) return tr.t('target.text', { text: plain });
  const placeholder = text('placeholder');
  if (placeholder !== undefined) return tr.t('target.placeholder', { text: placeholder });
  const testId = text('testId');
  if (testId !== undefined) return tr.t('target.testId', { text: testId });
  const selector = text('css') ?? text('xpath');
  if (selector !== undefined) return tr.t('target.selector', { text: selector });
  const ref = text('ref');
  if (ref !== undefined) return tr.t('target.ref', { text: ref });
  return tr.t('target.unknown');
}
