// @vitest-environment happy-dom
import { render } from 'preact';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { browser } from 'wxt/browser';
import { DocumentPage } from '../../components/knowledge/document.tsx';
import { droppedFiles } from '../../components/knowledge/dropped.ts';
import { KnowledgePage } from '../../components/knowledge/page.tsx';
import { readFile, readPasted } from '../../components/knowledge/read.ts';
import { knowledgeVersion } from '../../components/state.ts';
import { knowledge } from '../../src/view/messages/en/knowledge.ts';
import { addEnglish } from '../../src/view/messages/pages.ts';
import { OWN } from '../app/fake.ts';
import { setUp, type World } from '../app/world.ts';

addEnglish(knowledge);
// The pages wait for what people type, and machines that test are slow.
const PATIENCE = { timeout: 30_000 };
vi.setConfig({ testTimeout: 60_000 });

const KEY = ['AKIA', 'Z7VRSTQ4XWPN2KLM'].join('');
const file = (name: string, content: string | Uint8Array, type = '') => ({
  name,
  file: new File([content as BlobPart], name, { type }),
});

/** The pages over a real background, whose updates come at once. */
function mount(world: World, page: preact.VNode): HTMLElement {
  vi.spyOn(browser.runtime, 'sendMessage').mockImplementation((async (message: { name: string }) => {
    const answer = await world.runtime.onMessage(message, OWN);
    if (/\.(add|remove|restore)$/.test(message.name)) knowledgeVersion.value += 1;
    return answer;
  }) as never);
  vi.spyOn(browser.i18n, 'getUILanguage').mockReturnValue('en');
  document.body.innerHTML = '<div id="root"></div>';
  const root = document.getElementById('root') as HTMLElement;
  render(page, root);
  return root;
}

const part = (testid: string) => document.querySelector<HTMLElement>(`[data-testid="${testid}"]`);
const shows = (testid: string, text: string | RegExp) =>
  vi.waitFor(() => expect(part(testid)?.textContent ?? 'nothing').toMatch(text), PATIENCE);
const click = async (testid: string) => {
  await vi.waitFor(
    () => expect(part(testid)?.getAttribute('aria-disabled') ?? (part(testid) ? 'on' : 'gone')).toBe('on'),
    PATIENCE,
  );
  (part(testid) as HTMLElement).click();
};
function type(testid: string, text: string): void {
  const field = part(testid) as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
function choose(testid: string, ...files: { name: string; file: File }[]): void {
  const input = part(testid) as HTMLInputElement;
  Object.defineProperty(input, 'files', { configurable: true, value: files.map(({ file: one }) => one) });
  Object.defineProperty(input, 'value', { configurable: true, writable: true, value: '' });
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

describe('a file', () => {
  const content = async (given: ReturnType<typeof file>) => {
    const read = await readFile(given);
    return 'draft' in read ? [read.draft.title, read.draft.content] : read.problem;
  };

  it('of each kind becomes text with a title', async () => {
    expect(await content(file('a/notes.txt', 'plain\r\n# no title'))).toEqual(['notes', 'plain\n# no title']);
    expect(await content(file('guide.md', '# The guide\nText'))).toEqual(['The guide', '# The guide\nText']);
    expect(await content(file('t.csv', 'a,b\n1,2'))).toEqual(['t', 'Columns: a; b\na: 1; b: 2']);
    const html =
      '<html><head><title>Site</title></head><body><script>document.body.remove()</script><h2>Top</h2><p>A <b>b</b> &lt;i&gt;</p></body></html>';
    expect(await content(file('s.html', html))).toEqual([
      'Site',
      expect.stringMatching(/^## Top\n\nA \*\*b\*\* \\<i>$/),
    ]);
  });

  it('that cannot be read says why', async () => {
    expect(await content(file('a.png', 'x', 'image/png'))).toBe('type');
    expect(await content(file('a.txt', Uint8Array.of(80, 75, 0, 4)))).toBe('type');
    expect(await content(file('a.txt', ' \n'))).toBe('empty');
    expect(await content(file('a.txt', 'x'.repeat(2_000_001)))).toBe('large');
    const gone = { name: 'a.txt', file: { size: 1, type: '', arrayBuffer: () => Promise.reject(new Error('gone')) } };
    expect(await readFile(gone as never)).toEqual({ problem: 'unreadable' });
  });

  it('may be pasted: its first line is its title where none is given', () => {
    expect(readPasted('', '\nFirst line\nmore')).toMatchObject({
      draft: { title: 'First line', source: { kind: 'text' } },
    });
    expect(readPasted('', '## Part\nmore')).toMatchObject({ draft: { source: { kind: 'markdown' } } });
    expect(readPasted('T', ' ')).toEqual({ problem: 'empty' });
  });

  it('in a folder that is dropped keeps its path; what is hidden is left out', async () => {
    const leaf = (fullPath: string) => ({
      isFile: true,
      fullPath,
      file: (done: (file: Blob) => void) => done(new Blob([fullPath])),
    });
    const folder = (fullPath: string, ...parts: unknown[][]) => ({
      isFile: false,
      fullPath,
      createReader: () => ({ readEntries: (done: (part: unknown[]) => void) => done(parts.shift() ?? []) }),
    });
    const tree = folder(
      '/docs',
      [leaf('/docs/a.md')],
      [folder('/docs/.git', [leaf('/docs/.git/x')]), leaf('/docs/b.md')],
    );
    const transfer = { items: [{ webkitGetAsEntry: () => tree }], files: [] };
    expect((await droppedFiles(transfer as never)).map(({ name }) => name)).toEqual(['docs/a.md', 'docs/b.md']);
  });
});

describe('the knowledge page', () => {
  let world: World;
  beforeEach(() => {
    world = setUp();
  });

  it('adds files, says which it could not, finds them, and removes with undo', async () => {
    mount(world, <KnowledgePage />);
    await shows('empty', 'There are no documents yet');
    choose('kb-files', file('notes.txt', 'An <i>aardvark</i>'), file('x.png', 'x'), file('b.md', '# B\n## In\nbadger'));
    await shows('kb-outcome', '2 documents added · 1 file was not added');
    await shows('kb-skipped', /x\.png.*Not a kind of file/);
    await shows('kb-documents', /notes.*18 characters.*1 passage/);
    type('kb-search', 'badger');
    await shows('kb-hits', /B.*Score.*B › In.*badger.*b\.md/);
    await click('kb-remove');
    await shows('kb-removed', 'was removed');
    await vi.waitFor(() => expect(document.activeElement).toBe(part('kb-undo')), PATIENCE);
    await shows('kb-total', '1 document,');
    await click('kb-undo');
    await shows('kb-total', '2 documents,');
    expect(document.querySelectorAll('i, img')).toHaveLength(0);
  });

  it('asks about secrets before it stores them', async () => {
    mount(world, <KnowledgePage />);
    await shows('empty', 'no documents');
    choose('kb-files', file('keys.txt', `key ${KEY}`), file('clean.txt', 'clean'));
    await shows('kb-secrets', /keys\.txt/);
    expect(JSON.stringify(await world.store.knowledge())).not.toContain(KEY);
    await click('kb-mask');
    await shows('kb-total', '2 documents,');
    await vi.waitFor(() => expect(part('kb-secrets')).toBeNull(), PATIENCE);
    expect(JSON.stringify(await world.store.knowledge())).not.toContain(KEY);
    choose('kb-files', file('more.txt', `key ${KEY}`));
    await shows('kb-secrets', /more\.txt/);
    await click('kb-drop-held');
    await vi.waitFor(() => expect(part('kb-secrets')).toBeNull(), PATIENCE);
    expect(await world.store.knowledge()).toHaveLength(2);
  });

  it('pastes into a collection, imports, and turns down what is no export without a change', async () => {
    mount(world, <KnowledgePage />);
    await shows('empty', 'no documents');
    type('kb-collection', '#finance');
    await click('kb-paste');
    await vi.waitFor(() => expect(part('kb-paste-text')).not.toBeNull(), PATIENCE);
    type('kb-paste-title', 'Policy');
    type('kb-paste-text', 'No first class');
    await click('kb-paste-add');
    await shows('kb-documents', /Policy.*#finance/);
    for (const [text, says] of [
      ['{', /cannot be read as JSON/],
      ['{"format":"tabloom-knowledge/v1","documents":[{"id":"a"}]}', /Correct “documents\.0\.title”/],
      ['{"format":"tabloom-knowledge/v9"}', /newer Tabloom/],
    ] as const) {
      choose('kb-import', file('k.json', text));
      await shows('error', says);
    }
    expect(await world.store.knowledge()).toHaveLength(1);
    const good = {
      format: 'tabloom-knowledge/v1',
      documents: [{ id: 'policy', title: 'Policy', content: 'New words' }],
    };
    choose('kb-import', file('k.json', JSON.stringify(good)));
    await vi.waitFor(
      async () => expect((await world.ask('knowledge.get', { documentId: 'policy' }))?.revisions).toHaveLength(2),
      PATIENCE,
    );
  });

  it('of one document: each revision as it was, and one made the newest again', async () => {
    const documents = [{ title: 'Plan', content: 'old <b>words</b>', collections: [] }];
    await world.ask('knowledge.add', { documents, secrets: 'ask' });
    world.clock.advanceTo(world.clock.now() + 1000);
    const next = [{ documentId: 'plan', title: 'Plan', content: 'new words', collections: [] }];
    await world.ask('knowledge.add', { documents: next, secrets: 'ask' });
    mount(world, <DocumentPage documentId="plan" />);
    await shows('kb-text', 'new words');
    expect(document.querySelectorAll('[data-testid="kb-revision"]')).toHaveLength(2);
    await click('kb-show');
    await shows('kb-text', 'old <b>words</b>');
    await click('kb-restore');
    await vi.waitFor(() => expect(document.querySelectorAll('[data-testid="kb-revision"]')).toHaveLength(3), PATIENCE);
    await shows('kb-text', 'old <b>words</b>');
    await click('kb-remove');
    await shows('empty', 'There is no such document');
    await click('kb-undo');
    await shows('kb-text', 'old <b>words</b>');
  });
});
