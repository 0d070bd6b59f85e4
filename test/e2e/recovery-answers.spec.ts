import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import { click, type Popup } from '../../src/cli/browser/popup.ts';
import { ROOT } from '../cli/tabloom.ts';
import { type HeldForm, startHeldForm } from '../support/held-form.ts';
import { expect, type Product, see, test } from '../support/product.ts';

/**
 * Three runs click, the browser is killed before any of them can know what came of it, and each is answered in another way: done, with the
 * step's output; done again; failed. The site's own log says how often each was sent.
 */

test.setTimeout(300_000);

const OUTPUT = { receipt: 'R-7' };
type Answer = 'done' | 'retry' | 'fail';
const ANSWERS: Answer[] = ['done', 'retry', 'fail'];

let site: HeldForm;
test.beforeEach(async () => {
  site = await startHeldForm();
});
test.afterEach(() => site.close());

const workflow = (): string => `format: tabloom/v1
id: office
name: Message to the office
inputs: { type: object, properties: { message: { type: string } } }
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${site.url}/" } }
  - { id: write, type: browser_action, action: fill, arguments: { target: { label: Message }, value: "{{workflow_input.message}}" } }
  - { id: ready, type: wait, signal: go }
  - id: send
    name: Send the message
    type: browser_action
    action: click
    arguments: { target: { role: button, name: Send it } }
    retry: { on: [tab_lost, element_not_found, navigation_failed], delay: 0 }
output: { sent: "{{step.send}}" }
`;

/** Three runs whose click was cut off, by the answer that each is to get. The browser is not running. */
async function cutOff(product: Product): Promise<Record<Answer, string>> {
  await product.grant('http://127.0.0.1/*');
  await product.launch();
  const runs = {} as Record<Answer, string>;
  for (const answer of ANSWERS) runs[answer] = await product.start(workflow(), { message: answer });
  const ready = ({ steps }: Awaited<ReturnType<Product['detail']>>) =>
    steps.some(({ path, status }) => path === 'ready' && status === 'waiting');
  for (const runId of Object.values(runs)) await product.look(runId, 'the filled-in form', ready);
  // All at once: a click that leads nowhere for ten seconds counts as done.
  await Promise.all(Object.values(runs).map((runId) => product.command({ type: 'signal', runId, name: 'go' })));
  await until(
    async () => site.messages().length === ANSWERS.length || undefined,
    () => new Error(`Sent so far: ${site.messages()}`),
    90_000,
  );
  await product.kill();
  site.hold = false;
  return runs;
}

/** What became of the runs, by the engine and by the site. */
async function expectAnswered(product: Product, runs: Record<Answer, string>): Promise<void> {
  const done = await product.ended(runs.done);
  expect(done.run).toMatchObject({ status: 'completed', output: { sent: OUTPUT } });
  const retried = await product.ended(runs.retry);
  expect(retried.run.status).toBe('completed');
  const failed = await product.ended(runs.fail);
  expect(failed.run).toMatchObject({ status: 'failed', error: { code: 'interrupted', step: 'send' } });
  expect(site.messages().sort()).toEqual(['done', 'fail', 'retry', 'retry']);
}

interface Surface extends Pick<Popup, 'session' | 'click' | 'evaluate'> {}

/** Reads the card of each run, and answers it there. */
async function answerIn(surface: Surface, runs: Record<Answer, string>): Promise<void> {
  for (const answer of ANSWERS) {
    const card = `[data-testid="wait-recovery"][data-run="${runs[answer]}"]`;
    await see(surface, card);
    const text = await surface.evaluate<string>(`document.querySelector(${JSON.stringify(card)}).innerText`);
    // What happened, to what, on which page, and what each answer does.
    for (const said of [
      'Did this step happen?',
      'Send the message',
      'Tabloom or the browser was ended while this step was at work',
      'Click “Send it” (button)',
      'Message to the office',
      `${site.url}/`,
      'It counts as done, and is not done again.',
      'It is done once more, now.',
      'The run fails with “interrupted”',
    ])
      expect(text).toContain(said);
    await surface.click(`${card} [data-testid="recover-${answer}"]`);
    if (answer === 'done') {
      await surface.click(`${card} [data-testid="recovery-output"]`);
      await surface.session.send('Input.insertText', { text: JSON.stringify(OUTPUT) });
      await surface.click(`${card} [data-testid="recover-done"]`);
    }
    await until(
      () => surface.evaluate<boolean>(`document.querySelector(${JSON.stringify(card)}) === null`),
      () => new Error(`The card of ${answer} is still there.`),
    );
  }
}

test('in the popup: each answer does what it says', async ({ product }) => {
  const runs = await cutOff(product);
  await product.launch();
  await product.inPopup((popup) => answerIn(popup, runs));
  await expectAnswered(product, runs);
});

test('in the side panel: each answer does what it says', async ({ product }) => {
  const runs = await cutOff(product);
  await product.launch();
  const panel = await openExtensionPage(product.browser.cdp, 'sidepanel.html');
  const { session } = panel;
  await answerIn({ session, click: (css) => click(session, css), evaluate: (code) => panel.evaluate(code) }, runs);
  await expectAnswered(product, runs);
});

/** Goes on with a run at a terminal of its own, and answers each question that is asked there. @returns what it showed */
async function atTerminal(product: Product, runId: string, replies: [question: string, reply: string][]) {
  const words = [process.execPath, join(ROOT, 'src/cli/main.ts'), 'run', '--headless'];
  words.push('--resume', runId, '--profile', product.profileDir);
  // `script` gives the command a terminal; what we write goes in as keys.
  const line = words.map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', line, '/dev/null'], { stdio: 'pipe', detached: true });
  let shown = '';
  child.stdout.on('data', (data: Buffer) => {
    shown += data;
  });
  const ended = new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)));
  try {
    let from = 0;
    for (const [question, reply] of replies) {
      await until(
        async () => shown.includes(question, from) || undefined,
        () => new Error(`It never asked ${question}:\n${shown}`),
        90_000,
      );
      from = shown.indexOf(question, from) + question.length;
      child.stdin.write(`${reply}\r`);
    }
    return { status: await ended, shown: shown.replaceAll('\r', '') };
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
}

test('at the terminal: each answer does what it says', async ({ product }) => {
  const runs = await cutOff(product);
  const ask = '[d]one, [r]etry, or [f]ail? ';
  const done = await atTerminal(product, runs.done, [
    [ask, 'd'],
    ['output as JSON', JSON.stringify(OUTPUT)],
  ]);
  expect(done.status, done.shown).toBe(0);
  for (const said of [
    'Did step send (Send the message) happen?',
    'Tabloom or the browser was ended while this step was at work',
    'it does  Click “Send it” (button)',
    `page     ${site.url}/ (Message to the office)`,
    '[d]one   it happened: it counts as done with the output that you give, and is not done again',
    '[r]etry  it did not happen: it is done once more, now',
    '[f]ail   it is not done again',
  ])
    expect(done.shown).toContain(said);
  const retried = await atTerminal(product, runs.retry, [[ask, 'r']]);
  expect(retried.status, retried.shown).toBe(0);
  const failed = await atTerminal(product, runs.fail, [[ask, 'f']]);
  expect(failed.status, failed.shown).toBe(1);
  expect(failed.shown).toContain('interrupted');
  await product.launch();
  await expectAnswered(product, runs);
});
