import adapter from './adapter.mjs';
import { nextNumber } from './workbench.ts';

/*
 * One half of the benchmark of approvals, in a process of its own: `start COUNT DIR` leaves so many runs waiting, `resume COUNT DIR` decides
 * and finishes them. Prints what each took, in microseconds.
 */
const [phase, count = '1', dir] = process.argv.slice(2);
const { approvals, close } = await adapter({ cp: 'log', dir, shapes: { step: nextNumber, diamond: () => ({}) } });
const act = approvals?.()[phase === 'start' ? 'start' : 'resume'];
if (!act) throw new Error('say start or resume');
const used = process.cpuUsage();
const from = performance.now();
for (let n = 0; n < Number(count); n++) if ((await act(n)) === false) throw new Error(`run ${n} did not end right`);
const wall = ((performance.now() - from) * 1000) / Number(count);
const { user, system } = process.cpuUsage(used);
await close();
console.log(JSON.stringify({ wall, cpu: (user + system) / Number(count) }));
