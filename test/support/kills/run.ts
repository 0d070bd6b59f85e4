import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withModel } from '../../../src/cli/run/model.ts';
import { startSampleSite } from '../../../src/examples/site/server.ts';
import { STAND_IN_MODEL } from '../../../src/examples/stand-in/server.ts';
import { Product } from '../product.ts';
import { INERT_PAGE } from './lives.ts';
import { Range, type Tally } from './matrix.ts';
import { startOrderSite } from './order-site.ts';
import { SHARES } from './plan.ts';
import { startSlowModel } from './slow-model.ts';
import { approvals } from './workloads/approvals.ts';
import { demo } from './workloads/demo.ts';
import { orders } from './workloads/orders.ts';

export interface KillOptions {
  /** About how many kills in all. */
  kills: number;
  /** The same seed gives the same shots, as far as timing allows. */
  seed: number;
  /** Whole rounds, or short ones for a sample. */
  whole: boolean;
  /** So many browsers share the workloads; one unless told otherwise, since more of them slow down what is measured. */
  lanes?: number;
  log(line: string): void;
}

/**
 * Kills the worker of the real product again and again, over all workloads, each browser on a profile and with servers of its own.
 * @param tally gets every kill as it has landed, so that it can be told also when one of them was too much
 * @throws what does not hold: of a server's log, of a journal
 */
export async function killAll(options: KillOptions, tally: Tally): Promise<void> {
  const { lanes = 1 } = options;
  const ended = await Promise.allSettled(Array.from({ length: lanes }, (_, lane) => killInLane(options, lane, tally)));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/** The workloads of one browser: every `lanes`th. */
async function killInLane(
  { kills, seed, whole, lanes = 1, log }: KillOptions,
  lane: number,
  tally: Tally,
): Promise<void> {
  const profileDir = await mkdtemp(join(tmpdir(), 'tabloom-kills-'));
  const product = new Product(profileDir);
  product.home = INERT_PAGE;
  const [sample, site, model] = await Promise.all([startSampleSite(), startOrderSite(), startSlowModel(seed)]);
  try {
    await product.grant('http://127.0.0.1/*', 'http://localhost/*');
    await product.launch();
    const settings = { provider: 'openai-compatible', model: STAND_IN_MODEL, baseUrl: model.url } as const;
    await product.ask('models.set', { settings: withModel(await product.ask('models.get', {}), settings) });
    const workloads = [
      demo(product, sample),
      orders(product, site, 1, whole ? 5 : 3),
      orders(product, site, 2, whole ? 4 : 2),
      approvals(product, site, whole ? 6 : 3),
    ];
    const range = new Range(product, model.cuts, tally, log);
    for (const [index, workload] of workloads.entries()) {
      const share = SHARES[index];
      if (share && index % lanes === lane) await range.shoot(workload, share, kills, seed);
    }
  } finally {
    await product.kill();
    await Promise.all([sample.close(), site.close(), model.close()]);
    await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
