import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Requests } from '../../src/app/protocol.ts';
import { readRunOptions } from '../../src/cli/run/options.ts';
import type { Session } from '../../src/cli/run/session.ts';
import { begin, prepare, RefusedError } from '../../src/cli/run/start-run.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../src/examples');
const CLERK = join(EXAMPLES, 'expense-clerk.yaml');
const LIBRARY = ['check-expense.recipe.yaml', 'expense-note.recipe.yaml', 'expense-clerk.agent.yaml'].map((name) =>
  join(EXAMPLES, 'library', name),
);
const INPUT = { url: 'http://127.0.0.1:4173/expenses/2044' };

const folder = mkdtempSync(join(tmpdir(), 'tabloom-library-'));
afterAll(() => rmSync(folder, { recursive: true }));

function terminal() {
  const complained: string[] = [];
  return { complained, io: { say: () => undefined, complain: (line: string) => void complained.push(line) } as never };
}

describe('tabloom run --library', () => {
  it('takes several files, also as the shell names them', () => {
    const { library, file, grants } = readRunOptions(
      [CLERK, '--library', ...LIBRARY, '--grant', 'http://127.0.0.1'],
      {},
      true,
    );
    expect([library, file, grants]).toEqual([LIBRARY, CLERK, ['http://127.0.0.1/*']]);
  });

  it('puts them into the library before the workflow that names them', async () => {
    const { io, complained } = terminal();
    const prepared = prepare(CLERK, LIBRARY, INPUT, io);
    expect(complained).toEqual([]);
    const asked: string[] = [];
    const ask = async (name: string, payload: { source?: string }) => {
      asked.push(`${name} ${/^(recipe|agent|id): .*/m.exec(payload.source ?? '')?.[0] ?? ''}`.trim());
      if (name === 'workflow.import') return { workflowId: 'expense-clerk', enabled: true, problems: [] };
      return name === 'run.start' ? { runId: 'r1' } : ({ row: {}, problems: [] } as unknown as Requests);
    };
    const options = readRunOptions([CLERK], {}, true);
    expect(await begin({ background: { ask } } as unknown as Session, prepared, options, io)).toBe('r1');
    expect(asked).toEqual([
      'entry.save recipe: check-expense',
      'entry.save recipe: expense-note',
      'entry.save agent: expense-clerk',
      'workflow.import id: expense-clerk',
      'run.start',
    ]);
  });

  it('leaves what is in no file to the profile’s own library, and refuses what is wrong before a browser is started', () => {
    const { io } = terminal();
    expect(prepare(CLERK, [], INPUT, io).entries).toEqual([]);
    const bad = join(folder, 'bad.recipe.yaml');
    writeFileSync(bad, 'format: tabloom/v1\nrecipe: bad\nname: Bad\nprompt: "{{step.a}}"\n');
    expect(() => prepare(CLERK, [bad], INPUT, io)).toThrow(RefusedError);
    expect(() => prepare(CLERK, [join(folder, 'none.yaml')], INPUT, io)).toThrow('cannot be read');
  });
});
