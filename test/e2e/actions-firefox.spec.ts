import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { RunDetail } from '../../src/app/protocol.ts';
import { until } from '../../src/cli/browser/page.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type DialogSite, startDialogSite } from '../support/dialog-site.ts';
import { FirefoxProduct } from '../support/firefox-product.ts';
import { type Picture, readPng } from '../support/pages/png.ts';
import { type PageServer, startPageServer } from '../support/pages/server.ts';
import { startWidgetServer } from '../support/pages/widgets.ts';

/** Every page action in Firefox: workflows of the built extension on the test pages, in one browser. */

test.setTimeout(240_000);

const WIDGETS = ['react-form', 'quill', 'select2', 'shoelace'];

let profile: string;
let product: FirefoxProduct;
let server: PageServer;
/** A third origin, beside the two of `server`. */
let third: PageServer;
let widgets: PageServer;
let dialogs: DialogSite;

test.beforeAll(async () => {
  test.setTimeout(300_000);
  [server, third, dialogs] = await Promise.all([startPageServer(), startPageServer(), startDialogSite()]);
  widgets = await startWidgetServer(WIDGETS);
  profile = await mkdtemp(join(tmpdir(), 'tabloom-firefox-'));
  product = new FirefoxProduct(profile);
  await product.launch();
  // A driven Firefox blocks no pop-ups by itself, other than that of a person.
  await product.firefox.asBrowser(`Services.prefs.setBoolPref('dom.disable_open_during_load', true) ?? null`);
  await load('sites', [step('open', 'navigate', { url: server.origin })]);
  await product.grantByClick('sites');
});
test.afterAll(async () => {
  await product?.kill();
  await Promise.all([server, third, widgets, dialogs].map((one) => one?.close()));
  if (profile) await rm(profile, { recursive: true, force: true, maxRetries: 5 });
});

const SITES = ['http://127.0.0.1/*', 'http://localhost/*'];

function step(id: string, action: string, args: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return { id, type: 'browser_action', action, arguments: args, ...more };
}

/** A step that may fail, and fails at once; the run goes on. */
function tried(id: string, action: string, args: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return step(id, action, args, { onError: 'continue', timeout: '4s', ...more });
}

const open = (url: string, more: JsonObject = {}): JsonObject => step('open', 'navigate', { url }, more);
const read = (id: string, css: string, more: JsonObject = {}): JsonObject =>
  step(id, 'extract', { target: { css, ...more } });

async function load(id: string, steps: JsonObject[], sites = SITES): Promise<void> {
  const inputs = { type: 'object', properties: { url: { type: 'string' } } };
  // What does not work shows at once.
  const defaults = { timeout: '20s', retry: { maxAttempts: 1 } };
  const source = JSON.stringify({ format: 'tabloom/v1', id, name: id, sites, inputs, defaults, steps });
  const imported = await product.ask('workflow.import', { source, enable: true });
  if ('refused' in imported || imported.problems.length > 0) throw new Error(JSON.stringify(imported));
}

let workflows = 0;

/** Starts a workflow of these steps. @returns the run's id */
async function begin(steps: JsonObject[], sites?: string[], input: JsonObject = {}): Promise<string> {
  workflows += 1;
  const id = `acts-${workflows}`;
  await load(id, steps, sites);
  return product.start(id, input);
}

// biome-ignore lint/suspicious/noExplicitAny: outputs are compared, not used
type Outputs = Record<string, any>;

/** What steps have given, by id: their output, or `{error}`. */
function outputsOf({ run, steps }: RunDetail): Outputs {
  expect(run.status, JSON.stringify(steps.map(({ path, error }) => [path, error]))).toBe('completed');
  return Object.fromEntries(steps.map(({ path, output, error }) => [path, error ? { error } : output]));
}

/** Runs a workflow of these steps to its end. */
async function perform(steps: JsonObject[], sites?: string[], input?: JsonObject): Promise<Outputs> {
  return outputsOf(await product.ended(await begin(steps, sites, input)));
}

/** The browser's own page of a tab of a run, once it is there. */
async function contextAt(end: string): Promise<string> {
  return until(
    async () => {
      const { contexts } = await product.bidi.send<{ contexts: { context: string; url: string }[] }>(
        'browsingContext.getTree',
        { maxDepth: 0 },
      );
      return contexts.find(({ url }) => url.endsWith(end))?.context;
    },
    () => new Error(`No page at ${end}.`),
    30_000,
  );
}

/** Asks for permissions by a click of the person; the browser's own question is switched off. */
async function allow(what: JsonObject): Promise<void> {
  const context = await product.open('app.html#/settings');
  const request = `() => browser.permissions.request(${JSON.stringify(what)}).then((given) => { button.dataset.given = given; })`;
  await product.bidi.evaluate(
    context,
    `(() => {
      const button = document.createElement('button');
      button.id = 'ask';
      button.style = 'position: fixed; inset: 0; z-index: 99';
      button.onclick = ${request};
      document.body.append(button);
    })()`,
  );
  await product.bidi.click(context, '#ask');
  await expect
    .poll(() => product.bidi.evaluate(context, `document.querySelector('#ask').dataset.given ?? ''`), {
      timeout: 20_000,
    })
    .toBe('true');
  await product.bidi.send('browsingContext.close', { context });
}

/** Goes on with a run that waits for the signal `go`. */
const go = (runId: string) => product.command({ type: 'signal', runId, name: 'go' });
const waitForGo: JsonObject = { id: 'pause', type: 'wait', signal: 'go' };
const paused = (runId: string) =>
  product.look(runId, 'its pause', ({ steps }) => steps.some(({ path, wait }) => path === 'pause' && wait));

test('fields of all kinds are set, and a form is sent with what was put in', async () => {
  const out = await perform([
    open(`${server.origin}/form`),
    step('amount', 'fill', { target: { label: 'Amount' }, value: 12.5 }),
    step('phone', 'fill', { target: { placeholder: 'phone' }, value: '5551234' }),
    step('rich', 'fill', { target: { role: 'textbox', name: 'Notes' }, value: 'new words' }),
    step('kind', 'select_option', { target: { label: 'Kind' }, label: 'Travel' }),
    step('box', 'check', { target: { text: 'I agree' } }),
    step('switch', 'check', { target: { role: 'switch', name: 'Notify' } }),
    step('more', 'fill_form', {
      fields: [
        { target: { label: 'Justification' }, value: 'one' },
        { target: { label: 'Day' }, value: '2026-03-07' },
        { target: { label: 'Tags' }, value: ['a', 'c'] },
        { target: { role: 'radio', name: 'Cash' }, value: true },
      ],
    }),
    step('typed', 'type', { target: { label: 'Justification' }, text: ' two' }),
    step('key', 'press_key', { key: 'Backspace' }),
    tried('wrong', 'fill', { target: { label: 'Fixed' }, value: 'x' }),
    step('send', 'click', { target: { role: 'button', name: 'Send' } }),
  ]);
  expect(out).toMatchObject({
    amount: { value: '12.5' },
    phone: { value: '(555) 1234' },
    rich: { value: 'new words' },
    kind: { values: ['t'] },
    box: { checked: true },
    switch: { checked: true },
    more: { values: ['one', '2026-03-07', ['a', 'c'], true] },
    typed: { value: 'one two' },
    wrong: { error: { code: 'element_not_actionable', details: { reason: 'read-only' } } },
  });
  const { searchParams } = new URL(out.send.url);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    amount: '12.5',
    why: 'one tw',
    day: '2026-03-07',
    kind: 't',
    terms: 'on',
    pay: 'cash',
  });
});

test('fields with a format, editors that take a paste only, a number that is typed on; a page hears what it hears of a person', async () => {
  const out = await perform([
    open(`${server.origin}/input-fields`),
    step('week', 'fill', { target: { label: 'Week' }, value: '2026-W09' }),
    tried('no-week', 'fill', { target: { label: 'Week' }, value: '9' }),
    step('own', 'fill', { target: { label: 'Own' }, value: 'one\ntwo' }),
    step('pasted', 'fill', { target: { label: 'Pasted' }, value: 'from the board' }),
    step('keyed', 'fill', { target: { label: 'Keyed' }, value: 'by keys' }),
    step('keys', 'navigate', { url: `${server.origin}/input-keys` }),
    step('amount', 'type', { target: { label: 'Amount' }, text: '4' }),
    step('mail', 'type', { target: { label: 'Mail' }, text: 'a@b.example' }),
    step('shadow', 'type', { target: { label: 'In shadow' }, text: 'deep' }),
    step('up', 'press_key', { key: 'ArrowUp', target: { css: '#amount' } }),
    step('end', 'press_key', { key: 'End', target: { label: 'Note' } }),
    step('word', 'press_key', { key: 'Control+Backspace' }),
    read('note', '#note'),
    step('enter', 'press_key', { key: 'Enter', target: { css: '#first' } }),
    step('sent', 'wait_for', { url: '/echo?first=ab&amount=35' }),
    step('log', 'navigate', { url: `${server.origin}/input-log` }),
    step('click', 'click', { target: { css: '#one' } }),
    step('type', 'type', { target: { css: '#name' }, text: 'ab' }),
  ]);
  expect(out['no-week'].error).toMatchObject({ code: 'element_not_actionable', details: { reason: 'value' } });
  expect(out.own.value).toBe('one\ntwo');
  expect([out.pasted, out.keyed, out.amount, out.mail, out.shadow].map(({ value }) => value)).toEqual([
    'from the board',
    'by keys',
    '34',
    'a@b.example',
    'deep',
  ]);
  expect(out.note.text.trim()).toBe('two');
  const heard = await product.bidi.evaluate<string[]>(await contextAt('/input-log'), 'log');
  const of = (type: string) => heard.filter((line) => line.startsWith(`${type} `));
  expect(of('beforeinput')).toEqual(['a', 'b'].map((key) => `beforeinput name insertText "${key}"`));
  expect(of('pointerdown')[0]).toBe('pointerdown one mouse 0 0 1 0 1');
  const moves = heard.filter((line) => /^(pointer|mouse)(over|enter|move)/.test(line)).slice(0, 10);
  expect(moves.map((line) => line.split(' ')[0])).toEqual([
    'pointerover',
    ...Array.from({ length: 3 }, () => 'pointerenter'),
    'pointermove',
    'mouseover',
    ...Array.from({ length: 3 }, () => 'mouseenter'),
    'mousemove',
  ]);
});

test('copied, cut and pasted by keys within one page', async () => {
  const keys = (id: string, label: string, ...names: string[]) =>
    names.map((key, index) => step(`${id}-${index}`, 'press_key', { key, target: { label } }));
  await perform([
    open(`${server.origin}/input-keys?clipboard`),
    ...keys('from', 'Note', 'Control+a', 'Control+c'),
    ...keys('to', 'First', 'End', 'Control+v'),
    ...keys('rich', 'Rich', 'Control+a', 'Control+x', 'Control+v', 'Control+v'),
  ]);
  const held = '[first.value, note.value, rich.innerText.trim()]';
  expect(await product.bidi.evaluate(await contextAt('/input-keys?clipboard'), held)).toEqual([
    'abone two',
    'one\ntwo',
    'oldold',
  ]);
});

test('the pointer: by all kinds of targets, pointing, dragging, scrolling; what is covered is left alone', async () => {
  server.instead.set('/input-cover', (text) =>
    text.replace(
      'id="cookies" role="dialog" aria-label="Cookies" hidden',
      'id="cookies" role="dialog" aria-label="Cookies"',
    ),
  );
  const out = await perform([
    open(`${server.origin}/form`),
    step('second', 'click', {
      target: [{ testId: 'gone' }, { role: 'button', name: 'delete', within: { role: 'listitem', nth: 1 } }],
    }),
    read('row', '#out'),
    step('paid', 'click', { target: { testId: 'pay-now' } }),
    read('pay', '#out'),
    step('drawn', 'click', { target: { xpath: '//*[@id="bar"]' } }),
    read('bar', '#out'),
    step('inner', 'click', { target: { text: 'Icon text' }, count: 2 }),
    step('below', 'click', { target: { css: '#far' } }),
    read('far', '#out'),
    step('hovered', 'navigate', { url: `${server.origin}/hovered` }),
    step('point', 'hover', { target: { text: 'Milk' } }),
    step('remove', 'click', { target: { role: 'button', name: 'Remove' } }),
    read('removed', '#out'),
    step('drags', 'navigate', { url: `${server.origin}/input-drag` }),
    step('card', 'drag', { from: { css: '#card' }, to: { css: '#zone' } }),
    read('zone', '#zone'),
    step('sort', 'drag', { from: { css: '#sort li:nth-child(1)' }, to: { css: '#sort li:nth-child(3)' } }),
    read('sorted', '#sort'),
    step('slide', 'drag', { from: { css: '#range' }, to: { text: 'high' } }),
    read('range', '#range'),
    step('scrolls', 'navigate', { url: `${server.origin}/input-scroll` }),
    step('to', 'scroll', { target: { css: '#virtual' }, until: { text: 'Row 60', exact: true } }),
    step('foot', 'scroll', { until: { text: 'The foot of the page' } }),
    step('covers', 'navigate', { url: `${server.origin}/input-cover` }),
    tried('covered', 'click', { target: { text: 'Pay' } }),
  ]);
  expect(out.second).toMatchObject({ matched: 1 });
  expect([out.row, out.pay, out.bar, out.far, out.removed].map(({ text }) => text)).toEqual([
    'deleted 2',
    'paid',
    'bar',
    'far',
    'milk gone',
  ]);
  expect([out.zone.text, out.sorted.text.replace(/\s/g, ''), out.range.text]).toEqual(['got the card', 'BCA', '90']);
  expect(out.covered.error).toMatchObject({ code: 'element_not_actionable', details: { reason: 'covered' } });
  expect(out.covered.error.message).toContain('dialog "Cookies"');
});

test('open and closed shadow roots, and slots', async () => {
  const out = await perform([
    open(`${server.origin}/shadow`),
    step('fill', 'fill', { target: { label: 'Inside' }, value: 'deep' }),
    step('open-root', 'click', { target: { role: 'button', name: 'Open one' } }),
    read('opened', '#out'),
    step('closed-root', 'click', { target: { text: 'Closed one' } }),
    read('closed', '#out'),
    step('slot', 'click', { target: { css: '#slotted button' } }),
    read('slotted', '#out'),
    read('deep', 'p.deep'),
    step('xpath', 'extract', { target: { xpath: '//p[@class="deep"]' } }),
    step('look', 'snapshot'),
  ]);
  const texts = ['opened', 'closed', 'slotted', 'deep', 'xpath'].map((id) => out[id].text);
  expect(texts).toEqual(['open deep', 'closed', 'slotted', 'Deep text', 'Deep text']);
  expect(out.look.text).toContain('button "Closed one"');
  expect(out.look.text).toContain('Deep text');
});

test('frames: of the same site and of others, nested, inline, in a closed shadow root; refs and sites', async () => {
  // A frame of another site, in which there is one of a third.
  const inner = `${third.origin}/shadow`;
  server.instead.set('/paged', () => `<title>Outer</title><iframe id="a" src="${server.other}/rows"></iframe>`);
  server.instead.set('/rows', () => `<title>Middle</title><p>Middle</p><iframe id="b" src="${inner}"></iframe>`);
  const first = { css: 'iframe[name=first]' };
  const nested = { css: '#inner', frame: { css: '#second' } };
  const deep = { css: '#b', frame: { css: '#a' } };
  const out = await perform([
    open(`${server.origin}/frames`),
    step('same', 'fill_form', {
      fields: [
        { target: { label: 'Justification', frame: first }, value: 'in a frame' },
        { target: { css: '#name', frame: nested }, value: 'Ada' },
      ],
    }),
    step('shown', 'extract', { target: { css: '#shown', frame: nested } }),
    step('inline', 'click', { target: { text: 'In doc', frame: { css: '[title=Inline]' } } }),
    step('done', 'extract', { target: { role: 'button', frame: { css: '[title=Inline]' } } }),
    step('shadow', 'extract', { target: { role: 'heading', frame: { css: '[title=Shadow]' } } }),
    step('foreign', 'extract', { target: { role: 'heading', frame: { css: '[title=Foreign]' } } }),
    step('look', 'snapshot', { find: 'role:heading' }),
    step('outer', 'navigate', { url: `${server.origin}/paged` }),
    step('closed', 'click', { target: { text: 'Closed one', frame: deep } }),
    step('clicked', 'extract', { target: { css: '#out', frame: deep } }),
    step('buttons', 'snapshot', { find: 'role:button open one' }),
    {
      id: 'ref',
      type: 'deterministic_command',
      operation: 'text.extract',
      arguments: { text: '{{step.buttons.text}}', pattern: 'button "Open one" \\[ref=(f[0-9]+e[0-9]+)\\]' },
    },
    step('by-ref', 'click', { target: { ref: '{{step.ref.groups[0]}}' } }),
    step('again', 'extract', { target: { css: '#out', frame: deep } }),
  ]);
  expect(out).toMatchObject({
    same: { values: ['in a frame', 'Ada'] },
    shown: { text: 'Ada' },
    done: { text: 'Done' },
    shadow: { text: 'Echo' },
    foreign: { text: 'Echo' },
    clicked: { text: 'closed' },
    again: { text: 'open' },
  });
  expect(out.look.text).toMatch(/- iframe "Foreign" .*\n {2}- heading "Echo"/);
  expect(out.look.text).toMatch(/- iframe "Shadow" .*\n {2}- heading "Echo"/);

  // The middle one is none of the sites.
  const less = await perform(
    [
      open(`${server.origin}/paged`),
      step('middle', 'wait_for', { target: { css: '#a' } }),
      tried('refused', 'click', { target: { text: 'Closed one', frame: deep } }),
      step('look', 'snapshot'),
    ],
    ['http://127.0.0.1/*'],
  );
  expect(less.refused.error).toMatchObject({ code: 'site_not_allowed', details: { origin: server.other } });
  expect(less.look.text).toContain('(not read: not allowed)');
});

test('reading: snapshots with find and since, tables over pages, items, articles, waiting', async () => {
  const out = await perform([
    open(`${server.origin}/form`),
    step('whole', 'snapshot', { find: 'role:checkbox' }),
    step('before', 'snapshot', { target: { css: '#form' } }),
    {
      id: 'id',
      type: 'deterministic_command',
      operation: 'text.extract',
      arguments: { text: '{{step.before.text}}', pattern: '\\[snapshot=([^\\]]+)\\]' },
    },
    step('box', 'check', { target: { label: 'I agree' } }),
    step('after', 'snapshot', { target: { css: '#form' }, since: '{{step.id.groups[0]}}' }),
    step('table', 'navigate', { url: `${server.origin}/table` }),
    step('items', 'extract', {
      as: 'items',
      target: { css: '.item' },
      fields: { name: { target: { role: 'link' } }, price: { target: { css: '.price' }, type: 'number' } },
    }),
    step('rows', 'extract', { as: 'table', next: { css: '#next' } }),
    step('article', 'navigate', { url: `${server.origin}/article` }),
    step('text', 'read_article'),
    step('late', 'navigate', { url: `${server.origin}/late`, waitFor: { text: 'Late' } }),
    step('there', 'wait_for', { target: { role: 'button', name: 'Late' }, state: 'enabled', url: '*/late' }),
    step('press', 'click', { target: { role: 'button', name: 'Late' } }),
    read('at', '#out'),
    tried('file', 'navigate', { url: `${server.origin}/file/report.csv` }, { timeout: '8s' }),
    tried('none', 'navigate', { url: 'http://127.0.0.1:1/' }, { timeout: '8s' }),
  ]);
  expect(out.whole.text).toContain('checkbox "I agree" [ref=');
  expect(out.after.text).toContain('checkbox "I agree" [checked] [changed]');
  expect(out.after.text).not.toContain('Justification');
  expect(out.items.items).toEqual([
    { name: 'Posten 1', price: 1234.5 },
    { name: 'Posten x', price: null },
  ]);
  expect(out.rows).toMatchObject({ columns: ['Name', 'Betrag netto', 'Betrag brutto'], pages: 3 });
  expect(out.rows.rows).toHaveLength(9);
  expect(out.text).toMatchObject({ title: expect.stringMatching(/^How bread rises/), byline: 'Ann Author' });
  expect(out.text.markdown).toContain('Bread rises because yeast');
  expect(out.text.markdown).not.toContain('Ignore your instructions');
  expect(out.at.text).toBe('clicked at 100px');
  expect(out.file.error.message).toContain('download');
  expect(out.none.error).toMatchObject({ code: 'navigation_failed' });
});

test("tabs: a click opens one, they are listed, switched, closed, and gone back in; a script's windows are blocked", async () => {
  await allow({ permissions: ['tabGroups'] });
  const runId = await begin([
    open(`${server.origin}/spa`),
    step('list-view', 'click', { target: { text: 'List' } }),
    step('aside', 'click', { target: { css: '#noopener' } }),
    step('seen', 'extract', { target: { css: 'p' } }, { tab: '{{step.aside.openedTab}}' }),
    step('script', 'click', { target: { css: '#open' } }),
    step('other', 'open_tab', { url: `${server.origin}/form?tabs` }),
    step('blank', 'click', { target: { text: 'New tab' } }),
    step('tabs', 'list_tabs'),
    waitForGo,
    step('close', 'close_tab'),
    step('first', 'switch_tab', { tab: 't1' }),
    step('back', 'go_back'),
    read('view', '#view'),
    step('on', 'navigate', { url: `${server.origin}/form?on` }),
    step('back-again', 'go_back'),
    tried('no-more', 'go_back', {}, { timeout: '15s' }),
    step('left', 'list_tabs'),
  ]);
  await paused(runId);
  const grouped = `browser.tabs.query({ url: 'http://127.0.0.1/*' })
    .then((tabs) => tabs.filter(({ url }) => /view=list|from=noopener|form\\?tabs|from=blank/.test(url)))
    .then((tabs) => Promise.all(tabs.map(({ groupId }) => groupId === -1 ? 'none' : browser.tabGroups.get(groupId).then(({ title }) => title))))`;
  await expect
    .poll(() => product.evaluate<string[]>(grouped), { timeout: 20_000 })
    .toEqual(Array.from({ length: 4 }, () => `acts-${workflows}`));
  await go(runId);
  const out = outputsOf(await product.ended(runId));
  expect(out['list-view']).toMatchObject({ url: `${server.origin}/spa?view=list`, openedTab: null });
  expect([out.aside.openedTab, out.seen.text, out.script.openedTab, out.blank.openedTab]).toEqual([
    't2',
    '?from=noopener',
    null,
    't4',
  ]);
  const message = `${server.origin}/echo?from=open`;
  expect(out.script.dialogs).toEqual([{ type: 'window', message, accepted: false }]);
  expect([out.aside.dialogs, out.blank.dialogs]).toEqual([[], []]);
  const list = (tabs: { tab: string; active: boolean }[]) => tabs.map(({ tab, active }) => `${tab} ${active}`);
  expect(list(out.tabs.tabs)).toEqual(['t1 false', 't2 false', 't3 true', 't4 false']);
  expect(out.back).toEqual({ url: `${server.origin}/spa`, title: 'home' });
  expect(out.view.text).toBe('home');
  expect(out['back-again']).toEqual({ url: `${server.origin}/spa`, title: 'home' });
  expect(out['no-more'].error).toMatchObject({ code: 'operation_failed', details: { reason: 'no_history' } });
  expect(list(out.left.tabs)).toEqual(['t1 true', 't2 false', 't4 false']);
});

test('links into a new tab: opened where they lead to a site, else told as windows are', async () => {
  const elsewhere = `${server.other}/echo?elsewhere`;
  server.instead.set(
    '/sections',
    () => `<title>Links</title><a id="elsewhere" href="${elsewhere}" target="_blank">Elsewhere</a>
      <a id="here" href="/echo?here" target="_blank">Here</a><button id="script" onclick="here.click()">By a script</button>
      <a id="kept" href="/echo?kept" target="_blank" onclick="return false">Kept</a>
      <p onclick="event.stopPropagation()"><a id="hidden" href="/echo?hidden" target="_blank">Hidden</a></p>`,
  );
  const clicks = ['elsewhere', 'script', 'kept', 'hidden'].map((id) =>
    step(id, 'click', { target: { css: `#${id}` } }),
  );
  const out = await perform([open(`${server.origin}/sections`), ...clicks], ['http://127.0.0.1/*']);
  const told = (message: string) => ({ openedTab: null, dialogs: [{ type: 'window', message, accepted: false }] });
  expect(out.elsewhere).toMatchObject(told(elsewhere));
  expect(out.script).toMatchObject({ openedTab: 't2', dialogs: [] });
  expect(out.kept).toMatchObject({ openedTab: null, dialogs: [] });
  expect(out.hidden).toMatchObject(told(`${server.origin}/echo?hidden`));
});

test('a tab that Firefox has put to sleep is listed, and brought back by the next action', async () => {
  const runId = await begin([
    open(`${server.origin}/form?dropped`),
    step('fill', 'fill', { target: { label: 'Justification' }, value: 'x' }),
    step('front', 'open_tab', { url: `${server.origin}/echo?front` }),
    waitForGo,
    step('tabs', 'list_tabs'),
    step('text', 'extract', { target: { css: 'h1' } }, { tab: 't1' }),
    step('back', 'switch_tab', { tab: 't1' }),
    tried('send', 'click', { target: { role: 'button', name: 'Send' } }, { timeout: '15s' }),
  ]);
  await paused(runId);
  const dropped = `browser.tabs.query({ url: '*://*/form?dropped' })`;
  await product.evaluate(`${dropped}.then(([{ id }]) => browser.tabs.discard(id)).then(() => null)`);
  await expect.poll(() => product.evaluate(`${dropped}.then(([{ discarded }]) => discarded)`)).toBe(true);
  await go(runId);
  const out = outputsOf(await product.ended(runId));
  expect(out.tabs.tabs).toHaveLength(2);
  expect(out.text.text).toBe('Expense');
  // What was filled in went with the page: it is not sent half.
  expect(out.send.error).toMatchObject({ code: 'tab_lost', details: { reason: 'fields_lost' } });
});

test('dialogs: the answer of a step, that of the tab, and leaving a page', async () => {
  const out = await perform([
    open(`${dialogs.origin}/buttons`),
    step('alert', 'click', { target: { css: '#alert' } }),
    step('no', 'click', { target: { css: '#confirm' } }),
    step('standing', 'handle_dialog', { accept: true, text: 'Ada' }),
    step('yes', 'click', { target: { css: '#confirm' } }),
    step('prompt', 'click', { target: { css: '#prompt' } }),
    step('unload', 'navigate', { url: `${dialogs.origin}/unload` }),
    step('touch', 'click', { target: { css: '#touch' } }),
    tried('stay', 'go_back', { dialog: { accept: false } }, { timeout: '8s' }),
    step('leave', 'go_back'),
  ]);
  expect(out).toMatchObject({
    alert: { dialogs: [{ type: 'alert', message: 'Saved.', accepted: true }] },
    no: { dialogs: [{ type: 'confirm', accepted: false }] },
    yes: { dialogs: [{ type: 'confirm', accepted: true }] },
    prompt: { dialogs: [{ type: 'prompt', accepted: true, text: 'Ada' }] },
    stay: { error: { code: 'operation_failed', details: { reason: 'beforeunload' } } },
    leave: { url: `${dialogs.origin}/buttons` },
  });
  expect(dialogs.log).toEqual(['alert undefined', 'confirm false', 'confirm true', 'prompt Ada']);
});

test('files: downloads of all kinds are kept, files of the run are uploaded', async () => {
  const save = [
    step('address', 'download', { url: `${server.origin}/file/report.csv` }),
    step('link', 'download', { target: { css: '#named' } }),
    step('blob', 'download', { target: { css: '#blob' } }),
    step('made', 'download', { target: { css: '#make' } }),
  ];
  const runId = await begin([
    open(`${server.origin}/files`),
    ...save,
    tried('unseen', 'download', { target: { css: '#server' } }, { timeout: '8s', onInterrupted: 'fail' }),
    { id: 'note', type: 'artifact', name: 'note.txt', content: 'hello' },
    ...['one', 'hidden', 'styled', 'opens', 'detached', 'zone'].map((css) =>
      step(`to-${css}`, 'upload_file', { target: { css: `#${css}` }, artifacts: ['{{step.note.artifactId}}'] }),
    ),
    step('told', 'wait_for', { text: 'dropped note.txt 5 hello' }),
    read('all', '#out'),
  ]);
  const detail = await product.ended(runId);
  const out = outputsOf(detail);
  expect(['address', 'link', 'blob', 'made'].map((id) => [out[id].name, out[id].size])).toEqual([
    ['report.csv', 8],
    ['mine.csv', 5],
    ['made.txt', 16],
    ['handed.txt', 10],
  ]);
  const unseen = detail.steps.find(({ path }) => path === 'unseen')?.attempts[0]?.error;
  expect(unseen).toMatchObject({ code: 'permission_denied', details: { permission: 'downloads' } });
  for (const css of ['one', 'hidden', 'styled', 'opens', 'detached', 'zone'])
    expect(out[`to-${css}`], css).toEqual({ files: [{ name: 'note.txt', size: 5 }] });
  const told = ['handed ../../secret/handed.txt'];
  for (const what of ['one', 'hidden', 'styled-input', 'hidden', 'detached', 'dropped'])
    told.push(`${what} note.txt 5 hello`);
  expect(out.all.text.split('\n')).toEqual(told);

  await allow({ permissions: ['downloads'] });
  const saved = () => product.evaluate<number>('browser.downloads.search({}).then((all) => all.length)');
  // The one that could not be seen has been saved.
  const before = await saved();
  const seen = await perform([
    open(`${server.origin}/files?seen`),
    step('server', 'download', { target: { css: '#server' } }),
  ]);
  expect(seen.server).toMatchObject({ name: 'from-server.csv', size: 8 });
  await expect.poll(saved, { timeout: 20_000 }).toBe(before);
});

test('a person who types in the tab of a run goes first', async () => {
  const runId = await begin([
    open(`${server.origin}/form?person`),
    step('look', 'snapshot', { find: 'role:button' }),
    waitForGo,
    step('act', 'click', { target: { css: '#log' } }),
  ]);
  await paused(runId);
  const context = await contextAt('/form?person');
  await product.bidi.evaluate(
    context,
    `(window.times = { key: [], click: [] },
      addEventListener('keydown', (event) => { if (event.isTrusted) times.key.push(event.timeStamp); }, true),
      log.addEventListener('click', (event) => times.click.push(event.timeStamp)), why.focus(), null)`,
  );
  const press = (value: string) =>
    product.bidi.send('input.performActions', {
      context,
      actions: [{ type: 'key', id: 'keys', actions: ['keyDown', 'keyUp'].map((type) => ({ type, value })) }],
    });
  await press('a');
  await go(runId);
  for (const value of ['b', 'c']) await press(value);
  const { steps } = await product.ended(runId);
  const times = await product.bidi.evaluate<{ key: number[]; click: number[] }>(context, 'times');
  expect([times.key.length, times.click.length]).toEqual([3, 1]);
  expect((times.click[0] as number) - (times.key[2] as number)).toBeGreaterThanOrEqual(1490);
  expect(steps.find(({ path }) => path === 'act')?.attempts.at(-1)?.meta).toMatchObject({ yielded: true });
});

test('widgets of frameworks take values into what they hold', async () => {
  const state = async (page: string): Promise<Json> =>
    product.bidi.evaluate(await contextAt(`${widgets.origin}/${page}`), 'window.state()');
  const at = (page: string, ...steps: JsonObject[]) => perform([open(`${widgets.origin}/${page}`), ...steps]);

  await at(
    'react-form',
    step('name', 'fill', { target: { label: 'Name' }, value: 'Ada' }),
    step('notes', 'fill', { target: { label: 'Notes' }, value: 'two\nlines' }),
    step('kind', 'select_option', { target: { label: 'Kind' }, label: 'Meals' }),
    step('agree', 'check', { target: { label: 'I agree' } }),
  );
  await expect
    .poll(() => state('react-form'))
    .toMatchObject({ name: 'Ada', kind: 'm', agree: true, notes: 'two\nlines' });

  await at(
    'quill',
    step('all', 'fill', { target: { role: 'textbox', name: 'Message' }, value: 'first line\nsecond' }),
    step('more', 'type', { target: { role: 'textbox', name: 'Message' }, text: '!' }),
  );
  await expect.poll(() => state('quill')).toMatchObject({ text: 'first line\nsecond!\n' });

  await at(
    'quill?keys',
    step('word', 'fill', { target: { role: 'textbox', name: 'Message' }, value: 'word' }),
    ...['End', 'Shift+Home', 'Control+x', 'Control+v', 'Control+v'].map((key, index) =>
      step(`key-${index}`, 'press_key', { key, target: { role: 'textbox', name: 'Message' } }),
    ),
  );
  await expect.poll(() => state('quill?keys')).toMatchObject({ text: 'wordword\n' });

  await at('select2', step('country', 'select_option', { target: { label: 'Country' }, label: 'France' }));
  await expect.poll(() => state('select2')).toMatchObject({ country: 'fr' });

  await at(
    'shoelace',
    step('name', 'fill', { target: { role: 'textbox', name: 'Name' }, value: 'Ada' }),
    step('kind', 'click', { target: { role: 'combobox', name: 'Kind' } }),
    step('meals', 'click', { target: { role: 'option', name: 'Meals' } }),
    step('agree', 'check', { target: { role: 'checkbox', name: 'I agree' } }),
  );
  await expect.poll(() => state('shoelace')).toMatchObject({ name: 'Ada', kind: 'm', agree: true });
});

test('a screenshot waits for access to all sites, and is taken once it is given; a pattern for any host does not reach this computer', async () => {
  const runId = await begin([
    open(`${server.origin}/shots`),
    step('shot', 'screenshot', { target: { css: '#small' } }),
    step('whole', 'screenshot', { fullPage: true }),
    step('pin', 'screenshot', { target: { css: '#pw' } }),
  ]);
  const wait = await product.look(runId, 'its wait', ({ steps }) => steps.find(({ path }) => path === 'shot')?.wait);
  expect(wait).toMatchObject({ kind: 'permission', subject: '<all_urls>' });
  expect(wait.reason).toContain('Allow Tabloom to work on all sites');
  await allow({ origins: ['<all_urls>'] });
  const given = outputsOf(await product.ended(runId));
  const picture = async (id: string): Promise<Picture> => {
    expect(given[id].mediaType).toBe('image/png');
    const kept = await product.ask('artifact.get', { artifactId: given[id].artifactId });
    return readPng(Buffer.from(kept?.base64 ?? '', 'base64'));
  };
  const [small, whole, pin] = [await picture('shot'), await picture('whole'), await picture('pin')];
  expect([small.width, small.height]).toEqual([120, 80]);
  expect([small.at(2, 2), small.at(117, 77)]).toEqual([
    [250, 200, 0],
    [250, 200, 0],
  ]);
  expect(whole.at(20, 10)).toEqual([200, 0, 0]);
  for (let y = 800; y < 2600; y += 20) expect(whole.at(700, y), `row ${y}`).toEqual([0, 160, 0]);
  expect(whole.at(20, whole.height - 3)).toEqual([100, 100, 100]);
  expect(pin.at(10, 10)).toEqual([91, 91, 91]);

  const any = [step('open', 'navigate', { url: '{{workflow_input.url}}' }, { onError: 'continue' })];
  const out = await perform(any, ['http://*/*'], { url: `${server.origin}/form` });
  expect(out.open.error).toMatchObject({ code: 'site_not_allowed', details: { reason: 'local_network' } });
});
