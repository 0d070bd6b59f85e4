import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callTabloom, type Ended, resultLine } from '../cli/tabloom.ts';
import { BAD_FILES, type BadFile } from '../support/bad-files.ts';
import { expect, test } from '../support/extension.ts';

/** Files that are no workflow: what the command line, the import and the popup say of them. Nothing runs, and nothing that was typed is lost. */

/** As many calls of the command at a time as do not slow each other down. */
const AT_ONCE = 3;

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabloom-bad-files-'));
  for (const { name, content } of BAD_FILES) writeFileSync(join(folder, name), content);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (...args: string[]): Promise<Ended> => callTabloom(args, { cwd: folder }).ended;

/** The problem's line, as terminals and editors read it. */
function lineOf(file: BadFile, text: string): string {
  const place = `${file.name}:${file.line}:${file.column} ${file.code} `;
  const found = text.split('\n').find((line) => line.startsWith(place));
  if (found === undefined) throw new Error(`No line begins with "${place}" in:\n${text}`);
  return found.slice(place.length);
}

test('validate: every bad file has its line with place, code and a sentence that says what to do, and it ends with 1', async () => {
  const ended = await call('validate', ...BAD_FILES.map(({ name }) => name));
  expect(ended.status).toBe(1);
  expect(ended.stderr).toBe('');
  for (const file of BAD_FILES) {
    const sentence = lineOf(file, ended.stdout);
    expect(sentence, file.what).toMatch(file.says);
    expect(sentence, file.what).toMatch(/^[A-Z"].{10,200}[.]$/);
    expect(sentence, file.what).not.toMatch(/Invalid input|expected|\[object|undefined/);
  }
});

test('run: each of them is refused with 2 before a browser is started, with the same sentence on standard error', async () => {
  const waiting = [...BAD_FILES];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const ended = await call('run', file.name, '--headless', '--json');
      expect(ended.status, `${file.what}: ${ended.stderr}`).toBe(2);
      expect(lineOf(file, ended.stderr)).toMatch(file.says);
      expect(ended.stderr).toContain('nothing has run');
      expect(resultLine(ended)).toMatchObject({ runId: null, status: 'refused', error: { code: file.code } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
});

test('import: each of them is listed with line and column, and cannot be saved as a workflow', async ({
  extension,
}) => {
  const app = await extension.open('app.html#/workflows/import');
  for (const file of BAD_FILES) {
    await app.getByTestId('import-file').setInputFiles({
      name: file.name,
      mimeType: 'text/yaml',
      buffer: Buffer.from(file.content),
    });
    if (file.name === 'large.yaml') {
      await expect(app.getByText('larger than 1 MiB')).toBeVisible();
      continue;
    }
    const first = app.getByTestId('problem').filter({ hasText: file.says });
    await expect(first.first(), file.what).toContainText(`line ${file.line}, column ${file.column}`);
    await expect(first.first()).toContainText(file.code);
    await expect(app.getByTestId('import-save')).toHaveAttribute('aria-disabled', 'true');
  }
});

const DRAFT = `# keep this note
format: tabloom/v1
id: half
name: Half done
steps:
  - { id: sum, type: deterministic_command, operation: list.summ, arguments: { items: [2, 3] } }
output: { total: "{{step.sum}}" }
`;

test('a file with errors is kept as a draft: the popup says why it cannot be started, a start is refused, and corrected it runs', async ({
  extension,
}) => {
  const app = await extension.open('app.html#/workflows/import');
  await app.getByTestId('import-source').fill(DRAFT);
  await app.getByTestId('keep-draft').click();
  await expect(app).toHaveURL(/#\/workflows\/half$/);
  await expect(app.getByTestId('source')).toHaveValue(DRAFT);

  const popup = await extension.open('popup.html');
  const row = popup.getByTestId('draft');
  await expect(row).toContainText('Half done');
  await expect(row).toContainText(/Line 6, column \d+: There is no operation "list\.summ"/);
  await expect(popup.getByText('cannot be started until their errors are corrected')).toBeVisible();
  await expect(popup.getByTestId('start-half')).toHaveCount(0);

  const ask = <T>(name: string, payload: object) => extension.send<T>({ tabloom: 1, name, payload });
  expect(await ask('run.start', { workflowId: 'half', input: {} })).toMatchObject({
    ok: true,
    value: { refused: { code: 'preflight_failed', message: expect.stringContaining('Correct Half done') } },
  });
  expect(await ask('workflow.enable', { workflowId: 'half', enabled: true })).toMatchObject({
    value: { refused: { code: 'preflight_failed', problems: [{ code: 'operation_unknown', line: 6 }] } },
  });

  await app.getByTestId('source').fill(DRAFT.replace('list.summ', 'list.sum'));
  await app.getByTestId('save-source').click();
  await app.getByTestId('enable-half').click();
  await expect(popup.getByTestId('draft')).toHaveCount(0);
  await popup.getByTestId('start-half').click();
  await popup.getByTestId('submit-half').click();
  await expect
    .poll(
      async () => (await ask<{ value: { history: { status: string }[] } }>('state.get', {})).value.history[0]?.status,
    )
    .toBe('completed');
});

test('a draft never takes the place of a workflow that is good', async ({ extension }) => {
  const ask = (source: string, draft: boolean) =>
    extension.send({ tabloom: 1, name: 'workflow.import', payload: { source, draft } });
  expect(await ask(DRAFT.replace('list.summ', 'list.sum'), false)).toMatchObject({ value: { workflowId: 'half' } });
  expect(await ask(DRAFT, true)).toMatchObject({
    value: { refused: { message: expect.stringContaining('a draft would take its place') } },
  });
  expect(await ask('name: [', true)).toMatchObject({
    value: { refused: { message: expect.stringContaining('Give the file an "id" and a "name"') } },
  });
});
