import { expect, test } from '../support/extension.ts';
import { startPageServer } from '../support/pages/server.ts';

/** A target whose first alternative no longer matches: the run goes on with the next one, says so, and the person keeps it for later runs. */

const file = (site: string) => `format: tabloom/v1
id: pay
name: Pay
sites: ["${site}/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${site}/form" } }
  - id: press # the button has changed its test id
    type: browser_action
    action: click
    arguments:
      target:
        - { testId: pay-soon } # as it was
        - { role: button, name: Pay now }
output: { matched: "{{step.press.matched}}" }
`;

test('found by the second alternative: the run says so, and kept by a click the next run looks for it first', async ({
  extension,
}) => {
  const server = await startPageServer();
  try {
    await extension.grant(server.origin);
    const ask = async <T>(name: string, payload: unknown): Promise<T> => {
      const answer = await extension.send<{ ok: boolean; value: T }>({ tabloom: 1, name, payload });
      if (!answer.ok) throw new Error(JSON.stringify(answer));
      return answer.value;
    };
    const matched = async (runId: string) => {
      type Detail = { run: { status: string; output?: { matched: number } } };
      let run: Detail['run'] | undefined;
      await expect
        .poll(
          async () => {
            ({ run } = await ask<Detail>('run.get', { runId }));
            return run.status;
          },
          { timeout: 60_000 },
        )
        .toBe('completed');
      return run?.output?.matched;
    };
    const start = async () => (await ask<{ runId: string }>('run.start', { workflowId: 'pay', input: {} })).runId;

    await ask('workflow.import', { source: file(server.origin), enable: true });
    const runId = await start();
    expect(await matched(runId)).toBe(1);

    const app = await extension.open(`app.html#/runs/${runId}`);
    await app.locator('[data-path="press"]').first().click();
    const panel = app.getByTestId('step-panel');
    await panel.getByRole('tab', { name: 'Attempts' }).click();
    await expect(panel).toContainText('Found by alternative 2 of its target');
    await panel.getByTestId('prefer').click();
    await expect(app.getByText('Saved as a new revision')).toBeVisible();

    const { source } = await ask<{ source: string }>('workflow.get', { workflowId: 'pay' });
    expect(source).toContain(`- { role: button, name: Pay now } # as it was
        - { testId: pay-soon }`);
    // It is still switched on.
    expect(await matched(await start())).toBe(0);

    // What the run went by is another target by now: said, and nothing is changed.
    await panel.getByTestId('prefer').click();
    await expect(app.getByText('Change the target of press in its file')).toBeVisible();
    expect((await ask<{ source: string }>('workflow.get', { workflowId: 'pay' })).source).toBe(source);
  } finally {
    await server.close();
  }
});
