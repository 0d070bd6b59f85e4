import { asked, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import type { FakeAnswers, FakeWindow } from '../support/ui-harness-browser.ts';
import { BUSY, detail, EMPTY, step } from '../support/ui-harness-fixtures.ts';

/** Models in Settings, and answers as they are written in the view of a run. */

const LOOKS = [
  { width: 900, scheme: 'light' },
  { width: 320, scheme: 'dark' },
] as const;

const WRITING: FakeAnswers = {
  'state.get': BUSY,
  'run.get': detail({
    steps: [
      step('read', { type: 'browser_action' }),
      step('each[2]/grade', { type: 'recipe', status: 'running', startedAt: Date.now() }),
      step('act[4]/model', { type: 'model_turn', status: 'running', startedAt: Date.now() }),
    ],
  }),
  'writing.get': {
    texts: [
      { path: 'each[2]/grade', attempt: 1, text: 'The line is over the limit of the travel policy, because ' },
      { path: 'act[4]/model', attempt: 1, text: 'I look at the list. '.repeat(60) },
      { path: 'read', attempt: 1, text: 'A step that has ended says nothing more.' },
    ],
  },
};

for (const { width, scheme } of LOOKS) {
  test(`an answer on its way at ${width} px, ${scheme}: shown as far as it has come, and grows`, async ({
    open,
  }, info) => {
    const page = await open('app', { answers: WRITING, width, scheme, hash: '#/runs/run-7f3a91c2' });
    const writing = page.getByTestId('writing');
    await expect(writing).toContainText('over the limit of the travel policy, because');
    await expect(writing).toContainText('I look at the list.');
    await expect(writing).not.toContainText('A step that has ended');
    const before = (await asked(page, 'run.get')).length;
    await page.evaluate(() => {
      const { fake } = window as unknown as FakeWindow;
      const text = 'The line is over the limit of the travel policy, because it is a hotel.';
      fake.answers['writing.get'] = { texts: [{ path: 'each[2]/grade', attempt: 1, text }] };
      fake.push({ type: 'changed', what: ['writing'], runId: 'run-7f3a91c2' });
    });
    await expect(writing).toContainText('because it is a hotel.');
    // Nothing was committed: the run itself is not asked for again.
    expect((await asked(page, 'run.get')).length).toBe(before);
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await page.screenshot({ fullPage: true, path: info.outputPath('writing.png') });
  });
}

const SETTINGS: FakeAnswers = {
  'state.get': EMPTY,
  'models.get': {
    accounts: [
      { id: 'main', provider: 'openai', hasKey: true, api: 'responses' },
      { id: 'home', provider: 'openai-compatible', baseUrl: 'http://llm.example.com:11434/v1', hasKey: false },
    ],
    names: { fast: 'main:gpt-5-mini', private: 'home:llama3.2:3b' },
    default: 'fast',
  },
  'models.test': {
    ok: false,
    code: 'network',
    origin: 'http://llm.example.com:11434',
    message: 'llm.example.com:11434 answers, but does not let this extension read its answers (CORS).',
  },
};

for (const { width, scheme } of LOOKS) {
  test(`models in Settings at ${width} px, ${scheme}: which API, which has no price, why it does not answer`, async ({
    open,
  }, info) => {
    const page = await open('app', { answers: SETTINGS, width, scheme, hash: '#/settings' });
    const models = page.getByTestId('models');
    await expect(models.getByTestId('account-api')).toHaveCount(1);
    await expect(models.getByTestId('account-api')).toHaveValue('responses');
    await expect(models.getByTestId('no-price')).toHaveCount(1);
    await expect(models.getByTestId('no-price')).toContainText('home:llama3.2:3b has no price');
    await models.getByTestId('price-missing').click();
    await expect(models.getByTestId('no-price')).toHaveCount(0);
    await models.getByLabel('Input').fill('0');
    await models.getByLabel('Output').fill('0');

    // What is tested is what is stored, so what was typed is stored first.
    await models.getByTestId('account-key').first().fill('sk-secret');
    await models.getByTestId('test-model').click();
    await expect(models.getByTestId('test-result')).toContainText(
      'does not let this extension read its answers (CORS)',
    );
    const order = (await asked(page)).map(({ name }) => name).filter((name) => /^models\.(set|test)$/.test(name));
    expect(order).toEqual(['models.set', 'models.test']);
    const [saved] = await asked(page, 'models.set');
    expect(saved?.payload).toMatchObject({
      apiKey: 'sk-secret',
      settings: {
        accounts: [{ id: 'main', api: 'responses' }, { id: 'home' }],
        prices: { 'home:llama3.2:3b': { input: 0, output: 0 } },
      },
    });
    await models.getByTestId('test-model').click();
    await expect.poll(async () => (await asked(page, 'models.test')).length).toBe(2);
    expect(await asked(page, 'models.set')).toHaveLength(1);

    await models.getByTestId('allow-model-origin').click();
    const requests = await page.evaluate(() => (window as unknown as FakeWindow).fake.permissionRequests);
    expect(requests).toEqual([['http://llm.example.com/*']]);
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await models.screenshot({ path: info.outputPath('models.png') });
  });
}
