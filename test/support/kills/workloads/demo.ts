import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SampleSite } from '../../../../src/examples/site/server.ts';
import type { Product } from '../../product.ts';
import { expect } from '../../product.ts';
import type { ApprovedLine } from '../../sample.ts';
import { expectSent, linesOf, SUSPICIOUS } from '../../sample.ts';
import { pendingOf, type Round, recoverCommand, untilQuiet, type Workload } from '../round.ts';
import { typesOf } from '../source.ts';

const SOURCE = readFileSync(resolve(import.meta.dirname, '../../../../src/examples/expense-review.yaml'), 'utf8');

/** The page is at work for a while after it has sent, as slow pages are: its click is not over when the site has the message. */
const SLOW_SUBMIT = `addEventListener('submit', () => {
  const end = performance.now() + 700;
  while (performance.now() < end);
})`;

/** The shipped example on the sample site: every approved message comes there once, to the letter, in order, and nothing else does. */
export function demo(product: Product, site: SampleSite): Workload {
  return {
    name: 'expense review',
    async begin(_, draw): Promise<Round> {
      site.reset();
      const runId = await product.start(SOURCE, { url: `${site.url}/expenses` });
      let lines: ApprovedLine[] = [];
      // In some rounds the person has enough when the run asks what became of a message.
      let patience = draw() < 0.25 ? 1 + Math.floor(draw() * 3) : Number.POSITIVE_INFINITY;
      let gaveUp = false;
      return {
        name: 'expense review',
        runIds: [runId],
        types: typesOf(SOURCE),
        async answer(detail, step) {
          if (step.wait?.kind === 'approval') {
            const approval = pendingOf(detail, step.path);
            lines = linesOf(approval);
            const page = await product.pageAt(site.url);
            await page.send('Page.enable');
            await page.send('Page.addScriptToEvaluateOnNewDocument', { source: SLOW_SUBMIT });
            return { type: 'decide', runId, path: step.path, hash: approval.hash, decision: 'approved' };
          }
          if (step.effect !== 'once') return recoverCommand(runId, step, 'retry');
          await untilQuiet(product, site.url, () => 0);
          patience -= 1;
          if (patience <= 0) {
            gaveUp = true;
            return recoverCommand(runId, step, 'fail');
          }
          const line = lines[Number(/\[(\d+)\]/.exec(step.path)?.[1])];
          return recoverCommand(runId, step, site.log().some(({ id }) => id === line?.id) ? 'done' : 'retry');
        },
        check([detail]) {
          const sent = site.log().length;
          expectSent(site, lines.slice(0, sent));
          if (gaveUp) {
            expect(detail?.run).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
            return;
          }
          expect(detail?.run, JSON.stringify(detail?.run.error)).toMatchObject({
            status: 'completed',
            output: { asked: SUSPICIOUS },
          });
          expect(sent).toBe(lines.length);
        },
      };
    },
  };
}
