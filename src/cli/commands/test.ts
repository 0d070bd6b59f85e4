import { runTestFiles } from '../test-runner/index.ts';

export const HELP = `tabloom test FILE.test.yaml … [--json]

Runs workflow tests: the real engine on an in-memory store with a virtual clock. Nothing outside is called.
  --json    one JSON line a case, then {"passed": N, "failed": N}
Exit status 0 when all pass.
`;

/** The `test` command. Returns the exit status: 0 when all cases pass, 1 otherwise, also when there is nothing to run. */
export async function test(args: string[]): Promise<number> {
  const json = args.includes('--json');
  const files = args.filter((arg) => !arg.startsWith('--'));
  const stray = args.find((arg) => arg.startsWith('--') && arg !== '--json' && arg !== '--help');
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  if (stray !== undefined || files.length === 0) {
    process.stderr.write(
      stray === undefined
        ? 'Name at least one test file: tabloom test FILE.test.yaml\n'
        : `There is no option ${stray}: see tabloom test --help.\n`,
    );
    return 1;
  }
  let passed = 0;
  let failed = 0;
  let last = '';
  for await (const result of runTestFiles(files)) {
    if (result.passed) passed += 1;
    else failed += 1;
    if (json) {
      process.stdout.write(`${JSON.stringify(result)}\n`);
      continue;
    }
    if (result.file !== last) process.stdout.write(`${result.file}\n`);
    last = result.file;
    process.stdout.write(`  ${result.passed ? '✓' : '✗'} ${result.name}\n`);
    for (const failure of result.failures) process.stdout.write(`      ${failure}\n`);
  }
  process.stdout.write(json ? `${JSON.stringify({ passed, failed })}\n` : `${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}
