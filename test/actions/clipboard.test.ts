// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { hear, put } from './page-env.ts';

/** Each test has a document in which nothing was copied. */
async function fresh(): Promise<typeof import('../../src/actions/page/act/clipboard.ts')> {
  vi.resetModules();
  const { fakePage } = await import('./page-env.ts');
  fakePage();
  return import('../../src/actions/page/act/clipboard.ts');
}

function field(id: string, value: string, selected: [number, number] = [0, value.length]): HTMLInputElement {
  const made = document.createElement('input');
  made.id = id;
  made.value = value;
  document.body.append(made);
  made.setSelectionRange(...selected);
  return made;
}

it('what is selected is copied, and pasted where the caret is with what a page hears of it', async () => {
  const { copy, paste } = await fresh();
  put('<main></main>');
  const from = field('from', 'one two', [4, 7]);
  const to = field('to', 'ac', [1, 1]);
  const heard = hear('copy', 'paste', 'beforeinput', 'input');
  expect(await copy(from, 'copy')).toBe(false);
  expect(await paste(to)).toBe(false);
  expect([from.value, to.value]).toEqual(['one two', 'atwoc']);
  expect(heard).toEqual(['copy from', 'paste to', 'beforeinput to', 'input to']);
});

it('what is cut goes away; lines go into a field of one line as spaces', async () => {
  const { copy, paste } = await fresh();
  put('<textarea id="area"></textarea>');
  const area = document.querySelector('textarea') as HTMLTextAreaElement;
  area.value = 'one\ntwo!';
  area.setSelectionRange(0, 7);
  await copy(area, 'cut');
  expect(area.value).toBe('!');
  const to = field('to', '');
  await paste(to);
  expect(to.value).toBe('one two');
});

it('a page that copies and pastes itself is left to it', async () => {
  const { copy, paste } = await fresh();
  put('<main></main>');
  const from = field('from', 'one');
  from.addEventListener('copy', (event) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', 'its own');
    event.clipboardData?.setData('application/x-cells', '[1]');
  });
  const to = field('to', '');
  const got: string[] = [];
  to.addEventListener('paste', (event) => {
    event.preventDefault();
    for (const type of event.clipboardData?.types ?? []) got.push(`${type} ${event.clipboardData?.getData(type)}`);
  });
  expect(await copy(from, 'copy')).toBe(true);
  expect(await paste(to)).toBe(true);
  expect(got.toSorted()).toEqual(['application/x-cells [1]', 'text/plain its own']);
  expect(to.value).toBe('');
});

it('a secret is not copied, and where nothing was copied pasting fails and says what to do', async () => {
  const { copy, paste } = await fresh();
  put('<main></main>');
  const { seal: sealHere } = await import('../../src/actions/page/sealed.ts');
  const secret = field('secret', 'hunter');
  sealHere(secret, true);
  await copy(secret, 'copy');
  await copy(secret, 'cut');
  expect(secret.value).toBe('hunter');
  const region = document.createElement('div');
  region.textContent = 'hunter';
  document.body.append(region);
  sealHere(region, true);
  getSelection()?.selectAllChildren(document.body);
  await copy(document.body, 'copy');
  await expect(paste(field('to', ''))).rejects.toMatchObject({
    info: { code: 'element_not_actionable', details: { reason: 'nothing copied' } },
  });
});
