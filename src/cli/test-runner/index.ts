import { runCase } from './case.ts';
import { readTestFile } from './file.ts';

/** How one case went. */
export interface CaseResult {
  file: string;
  name: string;
  passed: boolean;
  failures: string[];
}

/** Runs every case of some test files, one after another (SPEC §10). A file that cannot be read is one failed case. */
export async function* runTestFiles(files: readonly string[]): AsyncGenerator<CaseResult> {
  for (const file of files) {
    let cases: Awaited<ReturnType<typeof readTestFile>>['cases'];
    try {
      ({ cases } = await readTestFile(file));
    } catch (error) {
      yield {
        file,
        name: '(the file itself)',
        passed: false,
        failures: [error instanceof Error ? error.message : String(error)],
      };
      continue;
    }
    for (const test of cases) {
      let failures: string[];
      try {
        failures = await runCase(test);
      } catch (error) {
        failures = [
          `the runner had a fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        ];
      }
      yield { file, name: test.name, passed: failures.length === 0, failures };
    }
  }
}
