import type { RunDetail } from '../../src/app/protocol.ts';
import { until } from '../../src/cli/browser/page.ts';
import { click } from '../../src/cli/browser/popup.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { answerPermissionPrompt } from '../support/extension-prompt.ts';
import { type Product, see } from '../support/product.ts';
import { expect, expectSent, linesOf, SAMPLE_GRANTS, SUSPICIOUS, test } from '../support/sample.ts';
import { startXvfb } from '../support/xvfb.ts';

/** A grant that is taken away in mid-run: the run waits, says for what, and goes on when it is given back. Nothing is lost or doubled. */

test.setTimeout(240_000);

const [HOST] = SAMPLE_GRANTS as [string, string];

test('the grant is removed while it sends: it waits and names the site; given back by the real prompt it goes on, and each line is sent once', async ({
  product,
  sample: { site, begin },
}) => {
  const display = await startXvfb();
  try {
    const runId = await begin(product, { display });
    const approval = await product.pending(runId, 'gate');
    expect(await decide(product, approval)).toMatchObject({ ok: true });
    await until(
      async () => site.log().length >= 2,
      () => new Error('Nothing was sent.'),
      60_000,
    );
    await revoke(product);
    const waiting = await waitsFor(product, runId, site.url);
    const sent = site.log().length;
    expect(sent).toBeLessThan(SUSPICIOUS.length);

    // The extension's own page says so, with a way back.
    const { page } = product;
    const card = `[data-testid="wait-permission"][data-path="${waiting.path}"]`;
    await page.session.send('Page.bringToFront');
    await see(page, `${card} [data-testid="grant"]`);
    expect(await page.evaluate<string>(`document.querySelector('${card}').innerText`)).toContain(site.url);
    // It waits; it does not try again and again.
    expect(await product.detail(runId)).toMatchObject({ run: { status: 'waiting', waitingFor: ['permission'] } });
    expect(site.log()).toHaveLength(sent);

    await click(page.session, `${card} [data-testid="grant"]`);
    await answerPermissionPrompt(display, page, 'allow');
    const { run } = await product.ended(runId);
    expect(run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
    expectSent(site, linesOf(approval));
    await product.close();
  } finally {
    await product.kill();
    await display.stop();
  }
});

test('the grant is removed while the approval waits, and given back while the browser is closed: it goes on at the next start', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  await revoke(product);
  await product.decide(approval, 'approve');
  await waitsFor(product, runId, site.url);
  expect(site.log()).toEqual([]);

  await product.close();
  await product.launch();
  // Still not granted: still waiting.
  await waitsFor(product, runId, site.url);
  await product.close();
  await product.grant(...SAMPLE_GRANTS);
  await product.launch();
  const { run } = await product.ended(runId);
  expect(run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
  expectSent(site, linesOf(approval));
});

async function revoke(product: Product): Promise<void> {
  expect(await product.page.evaluate(`chrome.permissions.remove({ origins: ['${HOST}'] })`)).toBe(true);
}

function decide(product: Product, { runId, path, hash }: ApprovalRow) {
  return product.command({ type: 'decide', runId, path, hash, decision: 'approved' });
}

/** The step that waits for the grant of an origin. */
function waitsFor(product: Product, runId: string, origin: string): Promise<RunDetail['steps'][number]> {
  return product.look(runId, `a wait for ${origin}`, ({ run, steps }) => {
    const step = steps.find(({ status, wait }) => status === 'waiting' && wait?.kind === 'permission');
    return run.status === 'waiting' && step?.wait?.subject === origin && step;
  });
}
