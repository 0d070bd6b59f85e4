import { test } from '../support/ui-harness.ts';
import { approval, BUSY, detail, EDITABLE, EMPTY, MANY_ACTS, runRow } from '../support/ui-harness-fixtures.ts';

const dir = '/tmp/shots';
for (const scheme of ['light', 'dark'] as const) {
  test(`popup ${scheme}`, async ({ open }) => {
    const page = await open('popup', { answers: { 'state.get': BUSY, 'run.get': detail() }, width: 380, height: 560, scheme });
    await page.waitForSelector('[data-testid=approval-card]');
    await page.waitForTimeout(700);
    await page.screenshot({ path: `${dir}/popup-${scheme}.png` });
    await page.evaluate(() => { const s = document.querySelector('.surface-popup') as HTMLElement; s.style.maxBlockSize = 'none'; });
    await page.screenshot({ path: `${dir}/popup-full-${scheme}.png`, fullPage: true });
  });
  test(`panel ${scheme}`, async ({ open }) => {
    const page = await open('sidepanel', { answers: { 'state.get': { ...BUSY, live: [runRow(), ...BUSY.live.slice(1)] }, 'run.get': detail() }, width: 320, height: 800, scheme });
    await page.click('[data-testid=tab-live]');
    await page.waitForSelector('[data-testid=tree]');
    await page.click('[data-path="each[1]"]');
    await page.click('[data-path="each[1]/grade"]');
    await page.screenshot({ path: `${dir}/panel-live-${scheme}.png`, fullPage: true });
    await page.click('[data-testid=tab-history]');
    await page.screenshot({ path: `${dir}/panel-history-${scheme}.png`, fullPage: true });
  });
}
test('popup states', async ({ open }) => {
  const empty = await open('popup', { answers: { 'state.get': EMPTY }, width: 380, height: 400 });
  await empty.waitForSelector('[data-ready]');
  await empty.screenshot({ path: `${dir}/popup-empty.png` });
  const loading = await open('popup', { answers: { 'state.get': 'hang' }, width: 380, height: 300 });
  await loading.waitForTimeout(300);
  await loading.screenshot({ path: `${dir}/popup-loading.png` });
  const error = await open('popup', { answers: { 'state.get': { fail: 'internal', message: 'The store could not be opened; restart the browser.' } }, width: 380, height: 300 });
  await error.waitForSelector('[data-testid=error]');
  await error.screenshot({ path: `${dir}/popup-error.png` });
  const form = await open('popup', { answers: { 'state.get': { ...BUSY, approvals: [], waiting: [], live: [] }, 'grants.missing': { origins: ['https://expenses.example.com'] }, 'run.start': { refused: { code: 'preflight_failed', message: '', problems: [{ code: 'model_not_configured', severity: 'error', message: 'No model is set up for “fast”; add one in Settings.', pointer: '/steps/1/model', line: 12, column: 5 }] } } }, width: 380, height: 560 });
  await form.click('[data-testid=start-weekly-expenses] >> nth=0');
  await form.fill('[data-testid=field-url]', 'https://expenses.example.com/list');
  await form.click('[data-testid=submit-weekly-expenses]');
  await form.waitForSelector('[data-testid=problem]');
  await form.evaluate(() => { const s = document.querySelector('.surface-popup') as HTMLElement; s.style.maxBlockSize = 'none'; });
  await form.screenshot({ path: `${dir}/popup-form.png`, fullPage: true });
  const edit = await open('popup', { answers: { 'state.get': { ...BUSY, approvals: [approval({ editable: EDITABLE, covers: MANY_ACTS })] } }, width: 380, height: 560, look: { language: 'de' } });
  await edit.click('[data-testid=edit]');
  await edit.fill('[data-testid=edit-row] >> nth=0 >> [data-testid=field-line]', 'Train Berlin – Köln');
  await edit.click('[data-testid=remove-row] >> nth=1');
  await edit.evaluate(() => { const s = document.querySelector('.surface-popup') as HTMLElement; s.style.maxBlockSize = 'none'; });
  await edit.screenshot({ path: `${dir}/popup-edit-de.png`, fullPage: true });
  const xa = await open('popup', { answers: { 'state.get': BUSY }, width: 380, height: 560, look: { language: 'en-XA' } });
  await xa.waitForSelector('[data-testid=approval-card]');
  await xa.evaluate(() => { const s = document.querySelector('.surface-popup') as HTMLElement; s.style.maxBlockSize = 'none'; });
  await xa.screenshot({ path: `${dir}/popup-xa.png`, fullPage: true });
});
