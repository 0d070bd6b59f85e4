/**
 * Run by the bootstrap: `prepare.ts [chromium] [chrome] [firefox] [--quiet]` sees to it that what is named is there and
 * fresh. Ends with 1 and one sentence on stderr when that cannot be done.
 */
import { type BuildTarget, ensureBuild } from './build.ts';
import { ensureChromium } from './find.ts';

const say = (line: string) => console.error(line);
const names = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const quiet = process.argv.includes('--quiet');

try {
  for (const name of names) {
    if (name === 'chromium') ensureChromium(say);
    else build(name as BuildTarget);
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function build(target: BuildTarget): void {
  const start = performance.now();
  const { built, dir } = ensureBuild(target);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (built) say(`Built ${dir} in ${seconds} s.`);
  else if (!quiet) say(`${dir} is up to date.`);
}
