// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { type NewTab, noticeNewTabs } from '../../src/actions/page/act/links.ts';
import { env } from '../../src/actions/page/env.ts';
import { fakePage, put } from './page-env.ts';

/** What the browser was asked to open. */
let followed: string[];

beforeEach(() => {
  fakePage();
  followed = [];
  window.open = (url) => {
    followed.push(String(url));
    return null;
  };
});

/** Clicks the link of a page. @returns what is noticed */
async function noticed(html: string, on: (link: HTMLElement) => void = () => undefined): Promise<NewTab[]> {
  const link = put(html, 'a');
  on(link);
  const found: NewTab[] = [];
  const stop = noticeNewTabs((tab) => found.push(tab));
  link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
  await Promise.resolve();
  stop();
  return found;
}

const address = 'https://a.example/new';
const LINK = `<a href="${address}" target="_blank">New</a>`;

it('a link into a new tab is noticed, and left to a browser that opens it', async () => {
  expect(await noticed(LINK)).toEqual([{ address, kept: false }]);
  expect(followed).toEqual([address]);
});

it('a browser that would block it is kept from it, unless the page hides the click', async () => {
  env().browser.blocksNewTabs = true;
  expect(await noticed(LINK)).toEqual([{ address, kept: true }]);
  expect(followed).toEqual([]);
  expect(await noticed(LINK, (link) => link.addEventListener('click', (event) => event.stopPropagation()))).toEqual([
    { address, kept: false },
  ]);
});

it.each([false, true])(
  'nothing of what the page keeps to itself, or what hands out a file (blocked: %s)',
  async (blocks) => {
    env().browser.blocksNewTabs = blocks;
    expect(await noticed(LINK, (link) => link.addEventListener('click', (event) => event.preventDefault()))).toEqual(
      [],
    );
    expect(await noticed(`<a href="${address}" target="_blank" download>File</a>`)).toEqual([]);
  },
);
