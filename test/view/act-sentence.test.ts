import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { CoveredAct } from '../../src/model/run.ts';
import { actSentence, groupActs } from '../../src/view/act-sentence.ts';
import { translatorFor } from '../../src/view/messages/index.ts';

const tr = translatorFor('en');
const act = (action: string | undefined, args: JsonObject, over: Partial<CoveredAct> = {}): CoveredAct => ({
  path: 's',
  stepId: 's',
  name: 'Step',
  type: 'browser_action',
  action,
  arguments: args,
  origin: 'https://shop.example',
  ...over,
});

describe('actSentence', () => {
  it('a click: verb, target with its role, origin', () => {
    expect(actSentence(act('click', { target: { role: 'button', name: 'Pay now' } }), tr)).toMatchObject({
      verb: 'Click',
      target: '“Pay now” (button)',
      origin: 'https://shop.example',
      rest: undefined,
    });
  });

  it('a click with modifiers: what the words do not say is listed', () => {
    expect(actSentence(act('click', { target: { text: 'Row' }, count: 2, modifiers: ['Shift'] }), tr)).toMatchObject({
      verb: 'Double-click',
      rest: { modifiers: ['Shift'] },
    });
  });

  it('a fill: the exact value, white space kept', () => {
    expect(actSentence(act('fill', { target: { label: 'IBAN' }, value: ' DE12  34 ' }), tr)).toMatchObject({
      verb: 'Fill in',
      target: 'the field “IBAN”',
      value: ' DE12  34 ',
    });
  });

  it('several fields: one pair each', () => {
    const fields: Json = [
      { target: { label: 'Name' }, value: 'Ada' },
      { target: { css: '#n' }, value: '7' },
    ];
    expect(actSentence(act('fill_form', { fields }), tr)).toMatchObject({
      verb: 'Fill in 2 fields',
      pairs: [
        { target: 'the field “Name”', value: 'Ada' },
        { target: 'the element at #n', value: '7' },
      ],
      rest: undefined,
    });
  });

  it('fields of an unknown shape: are shown raw rather than dropped', () => {
    expect(actSentence(act('fill_form', { fields: 'x' }), tr).rest).toEqual({ fields: 'x' });
  });

  it('a target of alternatives, nested in a frame: every part is said', () => {
    const target: Json = [
      { role: 'link', name: 'Next', nth: 1, within: { css: 'nav' } },
      { text: 'More', frame: { css: 'iframe' } },
    ];
    expect(actSentence(act('click', { target }), tr).target).toBe(
      '“Next” (link), number 1 of those inside the element at nav, or else “More” in the frame the element at iframe',
    );
  });

  it('an MCP tool: tool, server, and its arguments', () => {
    expect(
      actSentence(act(undefined, { server: 'crm', tool: 'delete', id: 4 }, { type: 'mcp_tool' }), tr),
    ).toMatchObject({ verb: 'Call the tool', target: 'delete (crm)', rest: { id: 4 } });
  });

  it('an answer to dialogs: is said in words, with the exact text', () => {
    const click = (dialog: Json) => actSentence(act('click', { target: { text: 'Delete' }, dialog }), tr);
    expect(click({ accept: true })).toMatchObject({ dialog: 'Its dialogs are accepted.', rest: undefined });
    expect(click({ accept: false })).toMatchObject({ dialog: 'Its dialogs are dismissed.', rest: undefined });
    expect(click({ accept: true, text: ' Ada  L ' })).toMatchObject({
      dialog: 'Its dialogs are accepted, with the text “ Ada  L ”.',
      rest: undefined,
    });
    expect(actSentence(act('click', {}), tr).dialog).toBeUndefined();
  });

  it('an answer to dialogs of an unknown shape: is shown raw rather than dropped', () => {
    for (const dialog of [
      { accept: 'yes' },
      { accept: true, also: 1 },
      { accept: false, text: 'x' },
      'accept',
    ] as Json[])
      expect(actSentence(act('click', { dialog }), tr)).toMatchObject({ dialog: undefined, rest: { dialog } });
  });

  it('an action that is not known: says its name and lists all arguments', () => {
    expect(actSentence(act('teleport', { to: 'x' }), tr)).toMatchObject({
      verb: 'Do the step',
      target: 'Step (teleport)',
      rest: { to: 'x' },
    });
  });

  it('an action called like a built-in property: is not known', () => {
    expect(actSentence(act('constructor', {}), tr).verb).toBe('Do the step');
  });

  it.each([
    'click',
    'fill',
    'type',
    'press_key',
    'select_option',
    'check',
    'fill_form',
    'navigate',
    'open_tab',
    'drag',
    'upload_file',
    'download',
    'handle_dialog',
  ])('%s with an argument of the future: it is never hidden', (action) => {
    expect(actSentence(act(action, { surprise: 'yes' }), tr).rest).toEqual({ surprise: 'yes' });
  });
});

describe('groupActs', () => {
  it('few acts: one group', () => {
    expect(groupActs([act('click', {}), act('click', {})])).toHaveLength(1);
    expect(groupActs([])).toEqual([]);
  });

  it('many acts of a loop: grouped by item, none lost', () => {
    const acts = Array.from({ length: 37 }, (_, i) => [
      act('fill', {}, { path: `each[${i}]/fill` }),
      act('click', {}, { path: `each[${i}]/save` }),
    ]).flat();
    const groups = groupActs([...acts, act('click', {}, { path: 'submit' })]);
    expect(groups).toHaveLength(38);
    expect(groups.flatMap((group) => group.acts)).toHaveLength(75);
    expect([groups[0]?.item, groups[36]?.item, groups[37]?.item]).toEqual([1, 37, undefined]);
  });
});
