import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withModel } from '../../src/cli/run/model.ts';
import { type SampleSite, startSampleSite } from '../../src/examples/site/server.ts';
import { STAND_IN_MODEL, startStandIn } from '../../src/examples/stand-in/server.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { test as base, expect, type Product } from './product.ts';

const WORKFLOW = readFileSync(resolve(import.meta.dirname, '../../src/examples/expense-review.yaml'), 'utf8');

/** The sites of the example, for any port. */
export const SAMPLE_GRANTS = ['http://127.0.0.1/*', 'http://localhost/*'];

/** Lines of the sample report that break its policy. */
export const SUSPICIOUS = ['2042', '2044', '2045', '2046', '2050'];

/** What the example sends for a line. */
export interface ApprovedLine {
  id: string;
  message: string;
}

export interface BeginOptions {
  /** Where the browser shows its windows; headless without. */
  display?: { env: NodeJS.ProcessEnv };
}

/** The sample site and the stand-in for a model, and the example workflow on them. */
export interface Sample {
  site: SampleSite;
  /** Grants the sites, launches, sets the model and starts the expense review. @returns the run's id */
  begin(product: Product, options?: BeginOptions): Promise<string>;
}

/** The product, the sample site, and the example workflow with the stand-in as its model. */
export const test = base.extend<{ sample: Sample }>({
  sample: async ({ browserName: _ }, use) => {
    const site = await startSampleSite();
    const standIn = await startStandIn({ log: () => undefined });
    await use({
      site,
      async begin(product, { display } = {}) {
        await product.grant(...SAMPLE_GRANTS);
        await product.launch(display);
        const model = { provider: 'openai-compatible', model: STAND_IN_MODEL, baseUrl: standIn.url } as const;
        await product.ask('models.set', { settings: withModel(await product.ask('models.get', {}), model) });
        return product.start(WORKFLOW, { url: `${site.url}/expenses` });
      },
    });
    await standIn.close();
    await site.close();
  },
});

/** The lines that an approval of the example shows, and will send. */
export function linesOf(approval: ApprovalRow): ApprovedLine[] {
  const { lines } = approval.show as unknown as { lines: ApprovedLine[] };
  return lines.map(({ id, message }) => ({ id, message }));
}

/** The other side's own log: exactly these lines, in this order, each once, to the letter, and nothing else. */
export function expectSent(site: SampleSite, lines: ApprovedLine[]): void {
  expect(site.log().map(({ id, accepted, submitted }) => ({ id, accepted, submitted }))).toEqual(
    lines.map(({ id, message }) => ({
      id,
      accepted: true,
      submitted: { decision: 'ask_details', message, followUp: true },
    })),
  );
}

export { expect };
