import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take as long as many others together, longest first. */
const LONGEST = ['test/engine/simulation.test.ts', 'test/readme.test.ts', 'test/cases.test.ts'];

/** Begins with the files that take longest, so that no worker is alone with one of them at the end. The rest stays in the runner's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((file) => moduleId.endsWith(file));
      return at < 0 ? LONGEST.length : at;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
