import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { withModel } from '../../src/cli/run/model.ts';
import { STAND_IN_MODEL, startStandIn } from '../../src/examples/stand-in/server.ts';
import { type Extension, expect, test } from '../support/extension.ts';

/** What a run asks a person besides an approval: to read something, to do something, to raise a budget. On the real background. */

const REVIEW = `format: tabloom/v1
id: read-it
name: Read it
steps:
  - id: read
    type: review
    title: The draft of the letter
    content: "Dear colleague, the draft is short."
    maxRounds: 2
    revise:
      - { id: redo, type: deterministic_command, operation: transform, arguments: { value: "{{review.content}}", expression: "value + ' (' + review.comment + ')'" } }
  - id: file
    type: task
    title: File the letter
    instructions: Put it into the tray and write down its number.
    assignee: Office
    dueAfter: 2h
    form: { type: object, required: [number], properties: { number: { type: integer, title: Number, minimum: 1 }, note: { type: string, title: Note } } }
output: { text: "{{step.read.content}}", rounds: "{{step.read.rounds}}", number: "{{step.file.number}}" }
`;

const BUDGET = `format: tabloom/v1
id: small-budget
name: Small budget
budget: { tokens: 100 }
steps:
  - { id: ask, type: recipe, prompt: Say something, maxTokens: 200 }
output: { said: "{{step.ask.text}}" }
`;

async function start(extension: Extension, source: string): Promise<string> {
  const imported = await ask<{ workflowId: string }>(extension, 'workflow.import', { source, enable: true });
  const { workflowId } = imported;
  return (await ask<{ runId: string }>(extension, 'run.start', { workflowId, input: {} })).runId;
}

async function ask<T>(extension: Extension, name: string, payload: unknown): Promise<T> {
  const answer = await extension.send<{ ok: boolean; value: T }>({ tabloom: 1, name, payload });
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  return answer.value;
}

async function ended(extension: Extension, runId: string): Promise<{ status: string; output?: unknown }> {
  let run: { status: string; output?: unknown } = { status: '' };
  await expect
    .poll(
      async () => {
        run = (await ask<{ run: typeof run }>(extension, 'run.get', { runId })).run;
        return run.status;
      },
      { timeout: 30_000 },
    )
    .toBe('completed');
  return run;
}

async function clean(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
}

/**
 * Decides on the review that is shown. Its buttons are inert for a moment after they appeared or moved, like those of an approval, and
 * a click that comes just when something moved them does nothing, on purpose: a person clicks again, and so does this.
 */
async function decide(page: Page, button: string, decided: () => Promise<void>): Promise<void> {
  await expect(async () => {
    const free = page.locator(`[data-testid="wait-review"] :not([data-inert]) > [data-testid="${button}"]`);
    if (await free.isVisible()) await free.click({ timeout: 1_000 });
    await decided();
  }).toPass({ timeout: 30_000 });
}

test('a review is sent back with a comment, edited and accepted; the task after it takes its form, and nothing else', async ({
  extension,
}) => {
  const runId = await start(extension, REVIEW);
  const popup = await extension.open('popup.html');
  const card = popup.getByTestId('wait-review');
  await expect(card).toContainText('Dear colleague, the draft is short.');
  await expect(popup.getByTestId('review-changes')).toHaveAttribute('aria-disabled', 'true');
  await clean(popup);
  await popup.getByTestId('review-comment').fill('make it longer');
  await decide(popup, 'review-changes', () =>
    expect(card).toContainText('Dear colleague, the draft is short. (make it longer)', { timeout: 3_000 }),
  );
  await expect(card).toContainText('Revision 1');
  await popup.close();

  const panel = await extension.open('sidepanel.html');
  await expect(panel.getByTestId('wait-review')).toContainText('(make it longer)');
  await panel.getByTestId('review-edit').click();
  await panel.getByTestId('review-content').fill('Dear colleague, this is mine.');
  const task = panel.getByTestId('wait-task');
  await decide(panel, 'review-accept', () => expect(task).toBeVisible({ timeout: 3_000 }));
  await expect(task).toContainText('Put it into the tray');
  await expect(task).toContainText('Office');
  await clean(panel);
  await panel.getByTestId('task-done').click();
  await expect(task.locator('.field-problem')).toBeVisible();
  await panel.getByTestId('field-number').fill('12');
  await panel.getByTestId('task-done').click();
  await expect(task).toHaveCount(0);
  const run = await ended(extension, runId);
  expect(run.output).toEqual({ text: 'Dear colleague, this is mine.', rounds: 1, number: 12 });
});

test('a budget that a call would break: the run waits, names what is spent, and goes on with a higher limit', async ({
  extension,
}) => {
  const model = await startStandIn({ log: () => undefined });
  try {
    const settings = withModel(await ask(extension, 'models.get', {}), {
      provider: 'openai-compatible',
      model: STAND_IN_MODEL,
      baseUrl: model.url,
    });
    await ask(extension, 'models.set', { settings });
    const runId = await start(extension, BUDGET);
    const popup = await extension.open('popup.html');
    const card = popup.getByTestId('wait-budget');
    await expect(card).toContainText('0 of 100 tokens');
    await expect(popup.getByTestId('budget-usd')).toHaveCount(0);
    await clean(popup);
    const raise = popup.getByTestId('raise-budget');
    await popup.getByTestId('budget-tokens').fill('100');
    await expect(raise).toHaveAttribute('aria-disabled', 'true');
    await popup.getByTestId('budget-tokens').fill('5000');
    await raise.click();
    await expect(card).toHaveCount(0);
    expect((await ended(extension, runId)).status).toBe('completed');
  } finally {
    await model.close();
  }
});
