import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { type Extension, expect, test } from '../support/extension.ts';

/** The extension's own pages over its real background: what a person does, from the file to the history. */

const WORKFLOW = `format: tabloom/v1
id: two-steps
name: Two steps
steps:
  - { id: sum, type: deterministic_command, operation: list.sum, arguments: { items: [2, 3] } }
  - { id: gate, type: approval, title: "Send {{step.sum}}?", message: Look at the sum, risk: reversible }
output: { total: "{{step.sum}}", comment: "{{step.gate.comment}}" }
`;

/** Imports the workflow by the app page and switches it on. */
async function importWorkflow(extension: Extension): Promise<Page> {
  const app = await extension.open('app.html#/workflows/import');
  await app.getByTestId('import-source').fill(WORKFLOW.replace('list.sum', 'list.summ'));
  await expect(app.getByTestId('problem')).toHaveAttribute('data-code', 'operation_unknown');
  await expect(app.getByTestId('import-save')).toHaveAttribute('aria-disabled', 'true');
  await app.getByTestId('import-source').fill(WORKFLOW);
  await expect(app.getByTestId('import-preview')).toContainText('Asks for approval at 1 step.');
  await expect(app.getByTestId('problem')).toHaveCount(0);
  await app.getByTestId('import-save').click();
  await expect(app).toHaveURL(/#\/workflows\/two-steps$/);
  await app.getByTestId('enable-two-steps').click();
  await expect(app.getByTestId('run-form')).toBeVisible();
  return app;
}

/** Starts the workflow from the popup, and waits for its card. */
async function startFromPopup(extension: Extension): Promise<Page> {
  const popup = await extension.open('popup.html');
  await popup.getByTestId('start-two-steps').click();
  await popup.getByTestId('submit-two-steps').click();
  await expect(popup.getByTestId('approval-card')).toContainText('Send 5?');
  return popup;
}

const free = (page: Page) => expect(page.getByTestId('decision')).not.toHaveAttribute('data-inert');

test('from a file to the history: imported, switched on, started, approved with a comment that outlives the popup', async ({
  extension,
}) => {
  const app = await importWorkflow(extension);
  const popup = await startFromPopup(extension);
  // Buttons that are inert for the moment are dimmed, and fade in.
  await popup.emulateMedia({ reducedMotion: 'reduce' });
  await free(popup);
  expect((await new AxeBuilder({ page: popup }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  await popup.getByTestId('comment').fill('Five is right');
  await popup.close();

  const again = await extension.open('popup.html');
  await expect(again.getByTestId('comment')).toHaveValue('Five is right');
  await app.evaluate(() => {
    location.hash = '#/approvals';
  });
  await expect(app.getByTestId('approval-card')).toBeVisible();
  await free(again);
  await again.getByTestId('approve').click();
  await expect(again.getByTestId('approval-card')).toHaveCount(0, { timeout: 1000 });
  // Decided in one page, it goes from the other within a second, which says who it was.
  await expect(app.getByTestId('approval-card')).toHaveCount(0, { timeout: 1000 });
  await expect(app.getByTestId('toast')).toContainText('Approved by you');

  const panel = await extension.open('sidepanel.html');
  await panel.getByTestId('tab-history').click();
  await expect(panel.getByTestId('run-row')).toHaveAttribute('data-status', 'completed');
  await panel.getByTestId('run-row').getByRole('button').click();
  await expect(panel.locator('[data-testid="tree-item"]')).toHaveCount(2);
  await app.evaluate(() => {
    location.hash = '#/runs';
  });
  await app.getByTestId('run-row').getByRole('button').click();
  await expect(app.getByTestId('run-view')).toContainText('Five is right');
});

test('the worker is stopped while a card is open: the card stays, and the decision arrives', async ({ extension }) => {
  await importWorkflow(extension);
  const popup = await startFromPopup(extension);
  await extension.stopWorker();
  await popup.getByTestId('comment').fill('after the stop');
  await free(popup);
  await popup.getByTestId('reject').click();
  await expect(popup.getByTestId('approval-card')).toHaveCount(0);
  await expect(popup.getByTestId('error')).toHaveCount(0);

  // What changes after a stop is shown without anybody asking for it: the pages connect again by themselves.
  await extension.stopWorker();
  const other = await startFromPopup(extension);
  await expect(popup.getByTestId('approval-card')).toContainText('Send 5?');
  await other.close();
});

test('by keyboard alone: the comment, Reject and Approve follow each other, and nothing is decided on the way', async ({
  extension,
}) => {
  await importWorkflow(extension);
  const popup = await startFromPopup(extension);
  await free(popup);
  const focused = () => popup.evaluate(() => document.activeElement?.getAttribute('data-testid'));
  for (let i = 0; i < 20 && (await focused()) !== 'comment'; i++) await popup.keyboard.press('Tab');
  await popup.keyboard.type('by keyboard');
  await popup.keyboard.press('Tab');
  expect(await focused()).toBe('reject');
  await popup.keyboard.press('Tab');
  expect(await focused()).toBe('approve');
  await expect(popup.getByTestId('approval-card')).toBeVisible();
  await popup.keyboard.press('Enter');
  await expect(popup.getByTestId('approval-card')).toHaveCount(0);
  const panel = await extension.open('sidepanel.html');
  await panel.getByTestId('tab-history').click();
  await expect(panel.getByTestId('run-row')).toHaveAttribute('data-status', 'completed');
});
