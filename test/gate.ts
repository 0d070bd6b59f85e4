/**
 * `npm test`: everything that must hold, group by group, then one line `N passed, N failed`. `--fast` leaves out the
 * groups that need a browser, `--list` only says which groups there are. Run by the bootstrap on a Node that runs
 * TypeScript. Ends with 1 when anything failed or was skipped.
 */
import { type Count, judgeSkipped } from './gate/count.ts';
import { type Group, groups } from './gate/groups.ts';
import { inTurn } from './gate/order.ts';

/** Tests that may be skipped: the title of each, and why. There is none. */
const MAY_SKIP: Readonly<Record<string, string>> = {};

const FAILED: Count = { passed: 0, failed: 1 };

const chosen = groups.filter(({ fast }) => fast || !process.argv.includes('--fast'));
if (process.argv.includes('--list')) for (const { name } of chosen) console.log(name);
else await main(chosen);

async function main(all: readonly Group[]): Promise<void> {
  const broken = new Set<string>();
  const total = { passed: 0, failed: 0 };
  const reasons: string[] = [];
  const judge = async (group: Group) => {
    const start = performance.now();
    const { count, lines } = judgeSkipped(await runGroup(group, broken), MAY_SKIP);
    for (const line of lines) console.log(`${group.name}: ${line}`);
    if (count.failed > 0) broken.add(group.name);
    total.passed += count.passed;
    total.failed += count.failed;
    reasons.push(...(count.reasons ?? []).map((one) => `${group.name}: ${one}`));
    const outcome =
      group.setup && !count.failed ? 'ready' : `${count.passed} ok${count.failed ? `, ${count.failed} FAILED` : ''}`;
    console.log(`${group.name.padEnd(8)} ${outcome.padEnd(24)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  };
  for (const together of inTurn(all)) await Promise.all(together.map(judge));
  // Once more at the end, which is what most places keep of a log.
  for (const one of reasons) console.log(`FAILED ${one}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

async function runGroup(group: Group, broken: ReadonlySet<string>): Promise<Count> {
  if (group.needs && broken.has(group.needs)) {
    console.log(`${group.name}: not run, because ${group.needs} failed`);
    return FAILED;
  }
  try {
    const count = await group.run();
    if (group.setup || count.passed + count.failed > 0) return count;
    console.log(`${group.name}: no test ran`);
  } catch (error) {
    console.log(`${group.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return FAILED;
}
