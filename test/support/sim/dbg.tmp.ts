import fc from 'fast-check';
import { answers, deeds, simulate } from '/work/main/test/support/sim/simulate.ts';
import { workflows } from '/work/main/test/support/sim/workflows.ts';
import { writeFileSync } from 'node:fs';
const seed = Number(process.argv[2] ?? 20260105), n = Number(process.argv[3] ?? 300);
let i = 0; const t0 = performance.now();
const r = await fc.check(fc.asyncProperty(workflows, answers, deeds, async (definition, replies, script) => {
  i++; writeFileSync('/tmp/last-sim.json', JSON.stringify({definition, answers: replies, deeds: script}));
  const t = performance.now();
  await simulate({ definition, answers: replies, deeds: script });
  const d = performance.now() - t; if (d > 1500) console.log('slow', i, Math.round(d));
}), { numRuns: n, seed });
console.log('runs', i, 'ms', Math.round(performance.now() - t0), r.failed ? 'FAILED' : 'ok');
if (r.failed) { console.log(JSON.stringify(r.counterexample)); console.log(r.errorInstance?.stack?.slice(0, 1800)); console.log(r.counterexamplePath); }
