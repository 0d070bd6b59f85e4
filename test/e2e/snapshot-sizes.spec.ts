import { expect } from '@playwright/test';
import { MOST_CHARACTERS } from '../bench/pages/report.ts';
import { PAGE_NAMES, startSite } from '../bench/pages/site.ts';
import { Run, test } from '../support/pages/run.ts';

/** How large the snapshots of the benchmark's pages are, and that they are whole ones all the same. */

const LINE =
  /^(?: {2})*- (?:[a-z]+(?: "(?:[^"\\]|\\.)*")?(?: \[[^\]]+\])*(?:: "(?:[^"\\]|\\.)*")?|text: .+|… \d+ more \w+ \[cursor=[^\]]+\])$/;

test('snapshots of a form, a long table and an article keep to their sizes, are well formed, and go on where they are cut', async ({
  harness,
}) => {
  const site = await startSite();
  try {
    const run = new Run(harness.worker, site.origin, 'sizes');
    for (const name of PAGE_NAMES) {
      await run.open(`/${name}.html`);
      const { text, cursor } = await run.do('snapshot');
      expect(text.length, name).toBeLessThanOrEqual(MOST_CHARACTERS[name]);
      const [head, ...lines] = text.split('\n');
      expect(head).toMatch(/^Page ".+" of http:\/\/127\.0\.0\.1:\d+ \[snapshot=s\d+-\d+\]\. /);
      expect(lines.filter((line: string) => !LINE.test(line))).toEqual([]);
      expect(depthFaults(lines)).toEqual([]);
      const [, ref] = /button "Count" \[ref=(e\d+)\]/.exec(text) ?? [];
      expect(await run.do('click', { target: { ref: ref as string } })).toMatchObject({ matched: 0 });
      // What is left out can be read on, to the end.
      const fold = /\[cursor=([^\]]+)\]/.exec(text)?.[1];
      expect([name, fold !== undefined, cursor !== null]).toEqual([name, name !== 'form', name === 'article']);
      let rest = '';
      for (let next = cursor ?? fold, parts = 0; next && parts < 10; parts++) {
        const part = await run.do('snapshot', { cursor: next });
        expect(part.text.length, name).toBeLessThanOrEqual(MOST_CHARACTERS[name]);
        rest += part.text;
        next = part.cursor;
      }
      if (name === 'table') expect(rest).toContain('"Customer 500"');
      if (name === 'article') expect(rest).toContain('Section 12, paragraph 6.');
    }
  } finally {
    site.close();
  }
});

/** Lines that are further in than the one before them allows. */
function depthFaults(lines: readonly string[]): string[] {
  const depth = (line: string): number => line.search(/\S/) / 2;
  return lines.filter((line, at) => depth(line) > (at === 0 ? 0 : depth(lines[at - 1] as string) + 1));
}
