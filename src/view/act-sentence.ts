import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { CoveredAct } from '../model/run.ts';
import type { Translator } from './messages/index.ts';
import { targetText } from './target-text.ts';

/** A covered act in words. Every argument is in one of the parts: nothing that will be done is left out of sight. */
export interface ActSentence {
  /** First words, a verb: "Click", "Fill in". */
  verb: string;
  /** What it is done to. */
  target?: string;
  /** The exact value, where it is one text. */
  value?: string;
  /** Pairs of field and exact value, for acts over several fields. */
  pairs?: { target: string; value: string }[];
  /** How dialogs that it opens are answered, where the step says so. */
  dialog?: string;
  /** Arguments that the parts above do not say. */
  rest?: JsonObject;
  origin?: string;
  tab?: string;
}

type Words = Omit<ActSentence, 'origin' | 'tab' | 'rest' | 'dialog'>;
/** Gives the words, and takes the keys it has said by `said`. */
type Speaker = (args: JsonObject, tr: Translator, said: (...keys: string[]) => void, act?: CoveredAct) => Words;

const exact = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
const has = (args: JsonObject, key: string) => Object.hasOwn(args, key);

const onTarget =
  (verb: (args: JsonObject, tr: Translator) => string, valueKey?: string): Speaker =>
  (args, tr, said) => {
    said('target');
    const words: Words = {
      verb: verb(args, tr),
      target: has(args, 'target') ? targetText(args.target, tr) : undefined,
    };
    if (valueKey !== undefined && has(args, valueKey)) {
      said(valueKey);
      words.value = exact(args[valueKey]);
    }
    return words;
  };

const oneArgument =
  (verb: (tr: Translator) => string, ...keys: string[]): Speaker =>
  (args, tr, said) => {
    const key = keys.find((each) => has(args, each));
    if (key === undefined) return { verb: verb(tr) };
    said(key);
    return { verb: verb(tr), target: exact(args[key]) };
  };

const clickVerb = (args: JsonObject, tr: Translator) =>
  args.button === 'right' ? tr.t('act.clickRight') : args.count === 2 ? tr.t('act.clickDouble') : tr.t('act.click');

const ACTIONS: Record<string, Speaker> = {
  click: (args, tr, said) => {
    if (args.button === 'right' || args.button === 'left') said('button');
    if (args.count === 1 || (args.count === 2 && args.button !== 'right')) said('count');
    return onTarget(clickVerb)(args, tr, said);
  },
  fill: onTarget((args, tr) => (args.value === '' ? tr.t('act.clear') : tr.t('act.fill')), 'value'),
  type: onTarget((_, tr) => tr.t('act.type'), 'text'),
  press_key: (args, tr, said) => {
    said('key', 'target');
    const on = has(args, 'target') ? targetText(args.target, tr) : undefined;
    return { verb: tr.t('act.press_key'), target: on === undefined ? exact(args.key) : `${exact(args.key)} → ${on}` };
  },
  select_option: (args, tr, said) => {
    const key = ['label', 'value', 'values'].find((each) => has(args, each));
    return onTarget((_, each) => each.t('act.select_option'), key)(args, tr, said);
  },
  check: (args, tr, said) => {
    if (typeof args.checked === 'boolean') said('checked');
    return onTarget(() => (args.checked === false ? tr.t('act.uncheck') : tr.t('act.check')))(args, tr, said);
  },
  fill_form: (args, tr, said) => {
    const fields =
      Array.isArray(args.fields) && args.fields.every((field) => isObject(field) && has(field, 'value'))
        ? (args.fields as JsonObject[])
        : undefined;
    if (!fields) return { verb: tr.t('act.fill_form', { n: 0 }) };
    said('fields');
    return {
      verb: tr.t('act.fill_form', { n: fields.length }),
      pairs: fields.map((field) => ({ target: targetText(field.target, tr), value: exact(field.value) })),
    };
  },
  navigate: oneArgument((tr) => tr.t('act.navigate'), 'url'),
  open_tab: oneArgument((tr) => tr.t('act.open_tab'), 'url'),
  close_tab: oneArgument((tr) => tr.t('act.close_tab'), 'tab'),
  switch_tab: oneArgument((tr) => tr.t('act.switch_tab'), 'tab'),
  list_tabs: (_, tr) => ({ verb: tr.t('act.list_tabs') }),
  go_back: (_, tr) => ({ verb: tr.t('act.go_back') }),
  hover: onTarget((_, tr) => tr.t('act.hover')),
  scroll: onTarget((_, tr) => tr.t('act.scroll')),
  drag: (args, tr, said) => {
    said('from', 'to');
    return {
      verb: tr.t('act.drag'),
      target: tr.t('act.dragTo', { from: targetText(args.from, tr), to: targetText(args.to, tr) }),
    };
  },
  upload_file: onTarget((_, tr) => tr.t('act.upload_file'), 'artifacts'),
  download: (args, tr, said) =>
    has(args, 'url')
      ? oneArgument((each) => each.t('act.download'), 'url')(args, tr, said)
      : onTarget((_, each) => each.t('act.download'))(args, tr, said),
  handle_dialog: (args, tr, said) => {
    said('accept');
    const words: Words = { verb: args.accept === false ? tr.t('act.dismissDialogs') : tr.t('act.acceptDialogs') };
    if (has(args, 'text')) {
      said('text');
      words.value = exact(args.text);
    }
    return words;
  },
  snapshot: onTarget((_, tr) => tr.t('act.snapshot')),
  extract: onTarget((_, tr) => tr.t('act.extract')),
  read_article: (_, tr) => ({ verb: tr.t('act.read_article') }),
  screenshot: onTarget((_, tr) => tr.t('act.screenshot')),
  wait_for: onTarget((_, tr) => tr.t('act.wait_for')),
};

const TYPES: Record<string, Speaker> = {
  mcp_tool: (args, tr, said, act) => {
    if (typeof args.tool !== 'string') return { verb: tr.t('act.mcp_tool'), target: act?.action ?? act?.name };
    said('tool', 'server');
    return {
      verb: tr.t('act.mcp_tool'),
      target: typeof args.server === 'string' ? `${args.tool} (${args.server})` : args.tool,
    };
  },
  recipe: oneArgument((tr) => tr.t('act.recipe'), 'recipe'),
  agent: oneArgument((tr) => tr.t('act.agent'), 'goal'),
  subworkflow: oneArgument((tr) => tr.t('act.subworkflow'), 'workflow'),
  notification: oneArgument((tr) => tr.t('act.notification'), 'title'),
  handoff: oneArgument((tr) => tr.t('act.handoff'), 'to'),
  kb_write: oneArgument((tr) => tr.t('act.kb_write'), 'document', 'title'),
  artifact: oneArgument((tr) => tr.t('act.artifact'), 'name'),
  deterministic_command: oneArgument((tr) => tr.t('act.deterministic_command'), 'operation'),
};

/** Says a covered act: verb first, then what it is done to, the exact value, and everything else it carries. */
export function actSentence(act: CoveredAct, tr: Translator): ActSentence {
  const args = isObject(act.arguments) ? act.arguments : act.arguments === null ? {} : { value: act.arguments };
  const speaker =
    (act.action !== undefined && Object.hasOwn(ACTIONS, act.action) ? ACTIONS[act.action] : undefined) ??
    (Object.hasOwn(TYPES, act.type) ? TYPES[act.type] : undefined);
  const told = new Set<string>();
  const said = (...keys: string[]) => {
    for (const key of keys) told.add(key);
  };
  const words: Words = speaker
    ? speaker(args, tr, said, act)
    : { verb: tr.t('act.other'), target: act.action !== undefined ? `${act.name} (${act.action})` : act.name };
  const dialog = speaker === undefined ? undefined : dialogWords(args.dialog, tr);
  if (dialog !== undefined) said('dialog');
  const rest = Object.fromEntries(Object.entries(args).filter(([key]) => !told.has(key)));
  return { ...words, dialog, rest: Object.keys(rest).length > 0 ? rest : undefined, origin: act.origin, tab: act.tab };
}

/** `undefined` for what is no answer to dialogs, or holds more than one: that is listed as it is. */
function dialogWords(answer: Json | undefined, tr: Translator): string | undefined {
  if (!isObject(answer) || typeof answer.accept !== 'boolean') return undefined;
  const { accept, text, ...more } = answer;
  if (Object.keys(more).length > 0 || (text !== undefined && typeof text !== 'string')) return undefined;
  if (!accept && text === undefined) return tr.t('act.dialogDismiss');
  if (!accept) return undefined;
  return text === undefined ? tr.t('act.dialogAccept') : tr.t('act.dialogAcceptText', { text });
}

/** Acts that belong together: those of one loop item, or all in one group when there are few. */
export interface ActGroup {
  /** Item path (`each[2]`), or `''`. */
  key: string;
  /** Number of the item, from 1, where the group is one. */
  item?: number;
  acts: CoveredAct[];
}

const FEW = 6;

/** Groups many acts by their loop item, keeping their order; up to six stay one group. No act is dropped. */
export function groupActs(acts: readonly CoveredAct[]): ActGroup[] {
  if (acts.length <= FEW) return acts.length === 0 ? [] : [{ key: '', acts: [...acts] }];
  const groups = new Map<string, ActGroup>();
  for (const act of acts) {
    const found = /^(.*\[(\d+)\])\//.exec(act.path);
    const key = found?.[1] ?? '';
    const group = groups.get(key) ?? { key, item: found ? Number(found[2]) + 1 : undefined, acts: [] };
    group.acts.push(act);
    groups.set(key, group);
  }
  return [...groups.values()];
}
