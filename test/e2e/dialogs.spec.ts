import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { RunDetail } from '../../src/app/protocol.ts';
import type { CdpSession } from '../../src/cli/browser/cdp.ts';
import { evaluate, until, waitForLoad } from '../../src/cli/browser/page.ts';
import { click } from '../../src/cli/browser/popup.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type DialogSite, startDialogSite } from '../support/dialog-site.ts';
import { Product } from '../support/product.ts';

/**
 * Dialogs that pages open, in the built extension: each is answered by the step's policy, told with its text, and holds nothing up. What a
 * page was told is the server's word. One browser for all: the runs have tabs of their own.
 */

test.setTimeout(240_000);

const GRANTS = ['http://127.0.0.1/*', 'http://localhost/*'];

let product: Product;
let profile: string;
let site: DialogSite;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  profile = await mkdtemp(join(tmpdir(), 'tabloom-dialogs-'));
  site = await startDialogSite();
  product = new Product(profile);
  await product.grant(...GRANTS);
  await product.launch();
});
test.beforeEach(() => {
  site.log.length = 0;
  site.visits.length = 0;
});
test.afterEach(async () => {
  // What runs leave open, so that the next test finds its own.
  const close = `chrome.tabs.query({ url: ${JSON.stringify(GRANTS)} }).then((tabs) => chrome.tabs.remove(tabs.map(({ id }) => id)))`;
  await product.page.evaluate(close).catch(() => undefined);
});
test.afterAll(async () => {
  await product?.kill();
  await site?.close();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
});

interface Step extends JsonObject {
  id: string;
}

const at = (id: string, action: string, args: JsonObject = {}, more: JsonObject = {}): Step => ({
  id,
  type: 'browser_action',
  action,
  arguments: args,
  ...more,
});
const press = (id: string, css: string, dialog?: JsonObject): Step =>
  at(id, 'click', { target: { css }, ...(dialog ? { dialog } : {}) });
const open = (path: string, dialog?: JsonObject): Step =>
  at('open', 'navigate', { url: site.origin + path, ...(dialog ? { dialog } : {}) });
const shows = (id: string, text: string): Step => at(id, 'wait_for', { text });

let workflows = 0;

/** A workflow of steps, one after another. */
function workflow(steps: Step[], more: JsonObject = {}): string {
  workflows += 1;
  return JSON.stringify({
    format: 'tabloom/v1',
    id: `dialogs-${workflows}`,
    name: 'Dialogs',
    sites: [`${site.origin}/*`, `${site.other}/*`],
    steps,
    ...more,
  });
}

async function completed(runId: string): Promise<RunDetail> {
  const detail = await product.ended(runId);
  const failed = detail.steps.map(({ path, status, error }) => [path, status, error?.code, error?.message]);
  expect(detail.run.status, JSON.stringify(failed)).toBe('completed');
  return detail;
}

const run = async (steps: Step[], more?: JsonObject): Promise<RunDetail> =>
  completed(await product.start(workflow(steps, more)));

/** The dialogs that a step's output lists. */
function dialogsOf({ steps }: RunDetail, path: string): Json | undefined {
  const output = steps.find((step) => step.path === path)?.output;
  return (output as JsonObject | undefined)?.dialogs;
}

/** The dialogs that a step tells beside its output. */
function toldBeside({ steps }: RunDetail, path: string): Json | undefined {
  const meta = steps.find((step) => step.path === path)?.attempts.at(-1)?.meta;
  return (meta as JsonObject | undefined)?.dialogs;
}

const logged = (line: string): Promise<boolean | undefined> =>
  until(
    async () => site.log.includes(line),
    () => new Error(`The server was never told "${line}", only ${JSON.stringify(site.log)}.`),
  );

/** A tab of the person's own. */
async function ownTab(url: string): Promise<CdpSession> {
  const { cdp } = product.browser;
  const { targetId } = await cdp.send<{ targetId: string }>('Target.createTarget', { url });
  const session = await cdp.attach(targetId);
  return session;
}

/** Text of the next native dialog of a tab that is watched. */
function nextDialog(session: CdpSession): Promise<string> {
  return new Promise((resolve) => {
    const stop = session.on('Page.javascriptDialogOpening', ({ message }) => {
      stop();
      resolve(String(message));
    });
  });
}

test('alert, confirm, prompt and print at a click: the step answers, else alerts are accepted and the rest dismissed', async () => {
  const detail = await run([
    open('/buttons'),
    press('alert', '#alert'),
    press('no', '#confirm'),
    press('yes', '#confirm', { accept: true }),
    press('again', '#confirm'),
    press('nothing', '#prompt'),
    press('name', '#prompt', { accept: true, text: 'Ada' }),
    press('offered', '#prompt', { accept: true }),
    press('print', '#print', { accept: true }),
    press('twice', '#twice', { accept: true }),
    at('fill', 'fill', { target: { label: 'Note' }, value: 'x', dialog: { accept: true } }),
    at('leave', 'click', { target: { css: '#alert' } }),
  ]);
  expect(site.log).toEqual([
    'alert undefined',
    'confirm false',
    'confirm true',
    'confirm false',
    'prompt null',
    'prompt Ada',
    'prompt nobody',
    'print undefined',
    'first true',
    'second true',
    'change true',
    'alert undefined',
  ]);
  expect(dialogsOf(detail, 'alert')).toEqual([{ type: 'alert', message: 'Saved.', accepted: true }]);
  expect(dialogsOf(detail, 'no')).toEqual([{ type: 'confirm', message: 'Delete all rows?', accepted: false }]);
  expect(dialogsOf(detail, 'yes')).toEqual([{ type: 'confirm', message: 'Delete all rows?', accepted: true }]);
  expect(dialogsOf(detail, 'nothing')).toEqual([{ type: 'prompt', message: 'Your name?', accepted: false }]);
  expect(dialogsOf(detail, 'name')).toEqual([{ type: 'prompt', message: 'Your name?', accepted: true, text: 'Ada' }]);
  expect(dialogsOf(detail, 'print')).toEqual([{ type: 'print', message: '', accepted: false }]);
  expect(dialogsOf(detail, 'twice')).toHaveLength(2);
  expect(dialogsOf(detail, 'fill')).toEqual([{ type: 'confirm', message: 'Keep x?', accepted: true }]);
});

test('while keys are typed and something is dragged: the step answers, and goes on', async () => {
  const detail = await run([
    open('/asking'),
    at('type', 'type', { target: { css: '#key' }, text: 'abc', dialog: { accept: true } }),
    at('drag', 'drag', { from: { css: '#card' }, to: { css: '#bin' }, dialog: { accept: true, text: 'yes' } }),
  ]);
  expect(site.log).toEqual(['key true', 'drop yes']);
  expect(detail.steps.find(({ path }) => path === 'type')?.output).toEqual({
    value: 'abc',
    dialogs: [{ type: 'confirm', message: 'At the first key?', accepted: true }],
  });
  expect(dialogsOf(detail, 'drag')).toEqual([{ type: 'prompt', message: 'Throw away?', accepted: true, text: 'yes' }]);
});

test('a page that hangs while it is filled in or typed into: told as that, long before it goes on or the time is up, and freed', async () => {
  const stuck = { target: { css: '#stuck' } };
  const more = { timeout: '30s', retry: { maxAttempts: 1 }, onInterrupted: 'retry', onError: 'continue' };
  const acts = [at('act', 'fill', { ...stuck, value: 'x' }, more), at('act', 'type', { ...stuck, text: 'y' }, more)];
  const details = await Promise.all(acts.map((act) => run([open('/asking'), act, at('after', 'snapshot')])));
  for (const { steps } of details)
    expect(steps.find(({ path }) => path === 'act')?.error).toMatchObject({
      code: 'timeout',
      details: { reason: 'tab_silent', freed: true },
    });
});

test('page-12: a page that holds another extension’s frame and has broken what is built in: both go on as before, and see nothing of ours', async () => {
  const detail = await run([
    open('/patched'),
    at('fill', 'fill', { target: { label: 'Name' }, value: 'Ada' }),
    at('look', 'snapshot'),
    press('go', '#go', { accept: true }),
  ]);
  expect(dialogsOf(detail, 'go')).toEqual([{ type: 'confirm', message: 'Go?', accepted: true }]);
  expect(site.log).toEqual(['go Ada true the page’s own the page’s own']);
  const look = detail.steps.find(({ path }) => path === 'look')?.output as JsonObject;
  expect(look.text).toContain('Helper of another extension');
});

test('a dialog that comes late: the last act has answered it, and the next action tells of it', async () => {
  const detail = await run([
    open('/buttons'),
    press('later', '#later', { accept: true }),
    shows('seen', 'later true'),
    press('again', '#later'),
    at('pause', 'wait_for', { text: 'later false' }),
    press('alert', '#alert'),
  ]);
  expect(site.log).toEqual(['later true', 'later false', 'alert undefined']);
  const late = { type: 'confirm', message: 'Still there?' };
  expect([dialogsOf(detail, 'later'), toldBeside(detail, 'seen')]).toEqual([[], [{ ...late, accepted: true }]]);
  expect(toldBeside(detail, 'pause')).toEqual([{ ...late, accepted: false }]);
  expect(dialogsOf(detail, 'alert')).toEqual([{ type: 'alert', message: 'Saved.', accepted: true }]);
});

test('a dialog whose answer sends the page away: it is told all the same, by the click that opened it', async () => {
  const detail = await run([open('/buttons'), press('go', '#go', { accept: true }), shows('there', 'Plain')]);
  expect(site.log).toEqual(['go true']);
  expect(dialogsOf(detail, 'go')).toEqual([{ type: 'confirm', message: 'Leave?', accepted: true }]);
});

test('a dialog while the page loads: answered as the navigation says, else dismissed, also where the page then goes on', async () => {
  const plain = await run([open('/load'), at('tab', 'open_tab', { url: `${site.origin}/load` })]);
  const accepted = await run([
    open('/load', { accept: true }),
    at('tab', 'open_tab', { url: `${site.origin}/load`, dialog: { accept: true } }),
    at('back', 'navigate', { url: `${site.origin}/load`, dialog: { accept: true } }),
    at('not', 'navigate', { url: `${site.origin}/load` }),
    at('elsewhere', 'navigate', { url: `${site.origin}/load-go`, dialog: { accept: true } }),
  ]);
  const line = 'load ';
  expect(site.log).toEqual([false, false, true, true, true, false, true].map((answer) => line + answer));
  const dialog = { type: 'confirm', message: 'While loading?' };
  expect([dialogsOf(plain, 'open'), dialogsOf(plain, 'tab')]).toEqual([
    [{ ...dialog, accepted: false }],
    [{ ...dialog, accepted: false }],
  ]);
  expect([dialogsOf(accepted, 'open'), dialogsOf(accepted, 'tab')]).toEqual([
    [{ ...dialog, accepted: true }],
    [{ ...dialog, accepted: true }],
  ]);
  expect(dialogsOf(accepted, 'not')).toEqual([{ ...dialog, accepted: false }]);
  expect(dialogsOf(accepted, 'elsewhere')).toEqual([{ type: 'confirm', message: 'Before going on?', accepted: true }]);
});

test('handle_dialog: the tab answers so from then on, also on the next page; a step’s own answer goes before it', async () => {
  await run([
    open('/buttons'),
    at('set', 'handle_dialog', { accept: true, text: 'Grace' }),
    press('yes', '#confirm'),
    press('name', '#prompt'),
    press('no', '#confirm', { accept: false }),
    at('load', 'navigate', { url: `${site.origin}/load` }),
    at('foreign', 'navigate', { url: `${site.other}/load` }),
    at('back', 'navigate', { url: `${site.origin}/buttons` }),
    press('still', '#confirm'),
    at('off', 'handle_dialog', { accept: false }),
    press('off2', '#confirm'),
  ]);
  expect(site.log).toEqual([
    'confirm true',
    'prompt Grace',
    'confirm false',
    'load true',
    'load false',
    'confirm true',
    'confirm false',
  ]);
});

for (const kind of ['unload', 'unload-handler']) {
  test(`a page that a person has touched asks not to be left (${kind}): the step leaves it and tells; told to stay, it stays`, async () => {
    const gate = { id: 'gate', type: 'wait', signal: 'touched' };
    const runId = await product.start(
      workflow([
        open(`/${kind}`),
        gate,
        { ...at('stay', 'navigate', { url: `${site.origin}/plain`, dialog: { accept: false } }), onError: 'continue' },
        at('leave', 'navigate', { url: `${site.origin}/plain?left` }),
        at('back', 'navigate', { url: `${site.origin}/${kind}` }),
        { ...gate, id: 'again' },
        press('next', '#next'),
        shows('there', 'Plain'),
      ]),
    );
    const touch = async (path: string): Promise<void> => {
      await product.look(runId, path, ({ steps }) => steps.find((one) => one.path === path)?.status === 'waiting');
      const page = await product.pageAt(`${site.origin}/${kind}`);
      // Only a page that was really clicked may hold the browser back.
      await click(page, '#touch');
      expect(await evaluate<boolean>(page, 'navigator.userActivation.hasBeenActive')).toBe(true);
      await page.detach();
      await product.command({ type: 'signal', runId, name: 'touched', payload: null });
    };
    await touch('gate');
    await touch('again');
    const detail = await completed(runId);
    const asked = { type: 'beforeunload', message: kind === 'unload' ? '' : 'You have unsaved work.' };
    expect(detail.steps.find(({ path }) => path === 'stay')).toMatchObject({
      status: 'failed',
      error: { code: 'operation_failed', details: { reason: 'beforeunload' } },
    });
    // The one that stayed is told by the step after it: its own has no output.
    expect(dialogsOf(detail, 'leave')).toEqual([
      { ...asked, accepted: false },
      { ...asked, accepted: true },
    ]);
    expect(dialogsOf(detail, 'next')).toEqual([{ ...asked, accepted: true }]);
    expect(site.visits).toEqual([`/${kind}`, '/plain?left', `/${kind}`, '/plain?left']);
  });
}

test('in a frame of another origin that is granted: answered there, and the answer of an act on the page is not for it', async () => {
  const detail = await run([
    open('/outer'),
    at('yes', 'click', { target: { css: '#confirm', frame: { css: 'iframe' } }, dialog: { accept: true } }),
    at('no', 'click', { target: { css: '#prompt', frame: { css: 'iframe' } } }),
  ]);
  expect(site.log).toEqual(['confirm true', 'prompt null']);
  expect(dialogsOf(detail, 'yes')).toEqual([{ type: 'confirm', message: 'Delete all rows?', accepted: true }]);
});

test('from a blank frame: its functions are covered too', async () => {
  const detail = await run([open('/blank-frame'), press('ask', '#ask', { accept: true })]);
  expect(site.log).toEqual(['blank true']);
  expect(dialogsOf(detail, 'ask')).toEqual([{ type: 'confirm', message: 'From a blank frame?', accepted: true }]);
});

test('a page with a strict policy and Trusted Types: answered as any other', async () => {
  const detail = await run([open('/strict'), press('yes', '#confirm', { accept: true }), press('no', '#prompt')]);
  expect(site.log).toEqual(['confirm true', 'prompt null']);
  expect(dialogsOf(detail, 'yes')).toHaveLength(1);
});

test('a page that asks the same again until it hears yes: it gets an error instead of holding the tab', async () => {
  await run([open('/buttons'), press('loop', '#loop'), shows('out', 'loop '), press('alert', '#alert')]);
  expect(site.log.at(-1)).toBe('alert undefined');
});

test('a tab that a click opens: its dialogs are answered too', async () => {
  await run([
    open('/opener'),
    press('click', '#open'),
    at('switch', 'switch_tab', { tab: '{{step.click.openedTab}}' }),
    at('wait', 'wait_for', { target: { role: 'heading', name: 'Late' } }),
    at('pause', 'wait_for', { text: 'Late' }),
    { id: 'later', type: 'wait', for: '3s' },
    at('look', 'snapshot'),
  ]);
  expect(site.log).toEqual(['new tab false']);
});

test('a page that the site’s own service worker makes: its dialogs are answered once it is there', async () => {
  const detail = await run([
    open('/sw'),
    shows('ready', 'The worker is ready'),
    at('made', 'navigate', { url: `${site.origin}/made` }),
    press('yes', '#confirm', { accept: true }),
    press('name', '#prompt', { accept: true, text: 'Ada' }),
    press('later', '#later'),
    shows('seen', 'later false'),
  ]);
  expect(site.log).toEqual(['confirm true', 'prompt Ada', 'later false']);
  expect(site.visits).toEqual(['/sw']);
  expect(dialogsOf(detail, 'yes')).toEqual([{ type: 'confirm', message: 'Delete all rows?', accepted: true }]);
});

test('other tabs go on while dialogs open in one', async () => {
  const acts = Array.from({ length: 5 }, (_, i) => [
    press(`a${i}`, '#alert'),
    press(`c${i}`, '#confirm', { accept: true }),
  ]);
  const runs = await Promise.all([0, 1, 2].map(() => product.start(workflow([open('/buttons'), ...acts.flat()]))));
  for (const runId of runs) await completed(runId);
  expect(site.log.filter((line) => line === 'confirm true')).toHaveLength(15);
});

test('the person’s own tab of the same site: its dialogs are the browser’s own, while a run’s tab is answered', async () => {
  const own = await ownTab(`${site.origin}/look`);
  await waitForLoad(own);
  const functions = (name: string) => [`function ${name}() { [native code] }`, name, 0];
  const native = JSON.stringify(['alert', 'confirm', 'prompt', 'print'].map(functions));
  await logged(`look ${native}`);
  const runId = await product.start(
    workflow([
      open('/look'),
      at('buttons', 'navigate', { url: `${site.origin}/buttons` }),
      press('yes', '#confirm', { accept: true }),
      { id: 'hold', type: 'wait', signal: 'go' },
      press('no', '#confirm'),
    ]),
  );
  await product.look(runId, 'hold', ({ steps }) => steps.find(({ path }) => path === 'hold')?.status === 'waiting');
  // Also in the run's tab the functions look like the browser's.
  expect(site.log.filter((line) => line === `look ${native}`)).toHaveLength(2);
  expect(site.log.at(-1)).toBe('confirm true');
  // Loaded while the run has its tab, so with the script registered for the site.
  await own.send('Page.enable');
  await own.send('Page.navigate', { url: `${site.origin}/buttons` });
  await waitForLoad(own);
  const names = 'Object.getOwnPropertyNames(window).filter((name) => /tabloom|dialogs|guard|relay/i.test(name)).join()';
  expect(await evaluate<string>(own, names)).toBe('');
  expect(await evaluate<string>(own, 'Function.prototype.toString.call(confirm)')).toBe(functions('confirm')[0]);
  const opened = nextDialog(own);
  await own.send('Page.bringToFront');
  const clicked = click(own, '#confirm').catch(() => undefined);
  expect(await opened).toBe('Delete all rows?');
  expect(site.log.at(-1)).toBe('confirm true');
  await product.command({ type: 'signal', runId, name: 'go', payload: null });
  const detail = await completed(runId);
  expect(dialogsOf(detail, 'no')).toHaveLength(1);
  expect(site.log.at(-1)).toBe('confirm false');
  await own.send('Page.handleJavaScriptDialog', { accept: true });
  await clicked;
  await until(
    async () => site.log.filter((line) => line === 'confirm true').length === 2,
    () => new Error('The person was not asked.'),
  );
  await product.browser.cdp.send('Target.closeTarget', { targetId: own.targetId });
});

test('after the run its tab is the person’s again: the next dialog there is the browser’s own', async () => {
  await run([open('/buttons'), press('yes', '#confirm', { accept: true })]);
  const page = await product.pageAt(`${site.origin}/buttons`);
  await page.send('Page.enable');
  await until(
    () => evaluate<boolean>(page, "confirm['tabloom:active'] === undefined"),
    () => new Error('The guard never stood down.'),
  );
  const told = 'chrome.declarativeNetRequest.getSessionRules().then((rules) => rules.length === 0)';
  await until(
    () => product.page.evaluate<boolean>(told),
    () => new Error('The browser still tells the tab.'),
  );
  for (const reload of [false, true]) {
    if (reload) {
      await page.send('Page.reload');
      await waitForLoad(page);
    }
    await page.send('Page.bringToFront');
    const opened = nextDialog(page);
    const clicked = click(page, '#confirm').catch(() => undefined);
    expect(await opened).toBe('Delete all rows?');
    await page.send('Page.handleJavaScriptDialog', { accept: false });
    await clicked;
  }
  await product.browser.cdp.send('Target.closeTarget', { targetId: page.targetId });
});

test('a tab that a native dialog holds when the run comes to it: freed, the step is tried again, and the run goes on', async () => {
  const { cdp } = product.browser;
  const { targetId } = await cdp.send<{ targetId: string }>('Target.createTarget', {
    url: `${site.origin}/open-dialog?ask`,
  });
  await until(
    async () => (await cdp.targets()).some((one) => one.targetId === targetId && one.title === '/open-dialog'),
    () => new Error('The page did not open.'),
  );
  const tabId = await product.page.evaluate<number>(
    `chrome.tabs.query({}).then((all) => all.find(({ url }) => url?.includes('/open-dialog'))?.id)`,
  );
  // Nothing that runs in the page comes to an end any more.
  await until(
    () =>
      product.page.evaluate<boolean>(
        `Promise.race([chrome.scripting.executeScript({ target: { tabId: ${tabId} }, func: () => 1 }).then(() => false), new Promise((done) => setTimeout(done, 1500, true))])`,
      ),
    () => new Error('The dialog does not hold the tab.'),
  );
  const source = workflow([
    at('read', 'extract', { target: { css: 'h1' } }),
    at('pause', 'wait_for', { target: { css: '#alert' } }),
    press('alert', '#alert'),
  ]);
  const imported = await product.ask('workflow.import', { source, enable: true });
  if ('refused' in imported) throw new Error(JSON.stringify(imported.refused));
  const started = await product.ask('run.start', { workflowId: imported.workflowId, input: {}, tabId });
  if ('refused' in started) throw new Error(JSON.stringify(started.refused));
  const detail = await completed(started.runId);
  const [first] = detail.steps.find(({ path }) => path === 'read')?.attempts ?? [];
  expect(first?.error).toMatchObject({ code: 'timeout', details: { reason: 'tab_silent', freed: true } });
  // The page asks again when it is loaded again, and is answered then.
  expect(site.visits).toEqual(['/open-dialog?ask', '/open-dialog?ask']);
  expect(new Set(site.log)).toEqual(new Set(['asked false']));
  expect(dialogsOf(detail, 'alert')).toContainEqual({ type: 'alert', message: 'Nobody answers this.', accepted: true });
  await cdp.send('Target.closeTarget', { targetId });
});
