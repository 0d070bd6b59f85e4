import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { SubmittedReview } from '../../src/examples/site/server.ts';
import { callTabloom, resultLine } from '../cli/tabloom.ts';

/** Lines of the sample report that break its policy: price of a night, price, no receipt, weekend, claimed twice. */
const SUSPICIOUS = ['2042', '2044', '2045', '2046', '2050'];

test('the demo asks in the real popup and then sends each approved message exactly once', async () => {
  test.setTimeout(180_000);
  const out = mkdtempSync(join(tmpdir(), 'tabloom-demo-'));
  try {
    const ended = await callTabloom(['start', '--headless', '--json', '--out', out]).ended;
    expect(ended.status, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('NOT a language model');

    const result = resultLine(ended);
    expect(result).toMatchObject({
      status: 'completed',
      error: null,
      output: { checked: 12, suspicious: 5, asked: SUSPICIOUS },
    });
    expect(result.steps.gate).toMatchObject({ status: 'completed', output: { decision: 'approved' } });
    expect(result.usage.inputTokens).toBeGreaterThan(0);

    // The other side's own log, which knows nothing of runs: what was approved came, once, to the letter, and nothing else.
    const log = JSON.parse(readFileSync(join(out, 'server-log.json'), 'utf8')) as SubmittedReview[];
    const gate = result.steps.gate?.output as unknown as { value: { lines: { id: string; message: string }[] } };
    const approved = gate.value.lines;
    expect(approved.map(({ id }) => id)).toEqual(SUSPICIOUS);
    expect(log.map(({ id, accepted, submitted }) => ({ id, accepted, submitted }))).toEqual(
      approved.map(({ id, message }) => ({
        id,
        accepted: true,
        submitted: { decision: 'ask_details', message, followUp: true },
      })),
    );

    expect(readdirSync(out)).toEqual(
      expect.arrayContaining([
        'approval-gate-before.png',
        'approval-gate-decision.png',
        'approval-gate-after.png',
        'expense-review.csv',
        'last-page.png',
      ]),
    );
    for (const name of ['approval-gate-before.png', 'approval-gate-after.png', 'last-page.png']) {
      expect(readFileSync(join(out, name)).subarray(1, 4).toString()).toBe('PNG');
    }
    const csv = readFileSync(join(out, 'expense-review.csv'), 'utf8');
    expect(csv.charCodeAt(0)).toBe(0xfeff);
    const rows = csv.slice(1).trim().split(/\r?\n/);
    expect(rows).toHaveLength(13);
    expect(rows.filter((row) => row.endsWith(',yes')).map((row) => row.slice(0, 4))).toEqual(SUSPICIOUS);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});
