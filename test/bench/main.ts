import { measureEngine } from './engine.ts';

/*
 * `npm run bench`: what a step costs in the engine on the memory store, as a table and as one line of JSON. Nothing is asserted: times
 * belong to a machine. The ratios at the end do not.
 */
const measures = await measureEngine();
const of = (name: string): number => measures.find((measure) => measure.name === name)?.usPerStep ?? Number.NaN;
const floor = of('floor: await + Map');
const ratios = {
  'chain 10000 / chain 100': of('chain 10000') / of('chain 100'),
  'loop 10000 / loop 1000': of('loop 10000') / of('loop 1000'),
  '1000 approvals / 100 approvals': of('1000 approvals resumed') / of('100 approvals resumed'),
  'chain 1000 / floor': of('chain 1000') / floor,
};

process.stdout.write(`${'what'.padEnd(28)}${'steps'.padStart(8)}${'µs/step'.padStart(12)}${'× floor'.padStart(10)}\n`);
for (const { name, steps, usPerStep } of measures)
  process.stdout.write(
    `${name.padEnd(28)}${String(steps).padStart(8)}${usPerStep.toFixed(2).padStart(12)}${(usPerStep / floor).toFixed(0).padStart(10)}\n`,
  );
process.stdout.write('\n');
for (const [name, ratio] of Object.entries(ratios))
  process.stdout.write(`${name.padEnd(36)}${ratio.toFixed(2).padStart(12)}\n`);
process.stdout.write(`\n${JSON.stringify({ node: process.version, measures, ratios })}\n`);
