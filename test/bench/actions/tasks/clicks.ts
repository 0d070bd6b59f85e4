import type { Episode, Solver } from '../episode.ts';
import { listed, ordinal, quoted, read } from '../utterance.ts';

/** Tasks of buttons, links, tabs, sections, boxes and menus. */

const button: Solver = (episode) => episode.clickText('#area button', quoted(episode.query)[0] ?? '');

const oneOfTwo: Solver = ({ act, query }) => act.click(query.includes('TWO') ? '#subbtn2' : '#subbtn');

const sequence: Solver = async ({ act }) => {
  await act.click('#subbtn');
  await act.click('#subbtn2');
};

const delay: Solver = async (episode) => {
  await episode.act.click('#subbtn');
  await episode.pause(Number(read(episode.query, /wait (\d+) seconds/)[0]) * 1000);
  await episode.act.click('#subbtn2');
};

const link: Solver = (episode) => episode.clickText('.alink', quoted(episode.query)[0] ?? '');

/** A link that is on a panel behind one of the openers. */
const behind =
  (opener: string, panel: string): Solver =>
  async (episode) => {
    const wanted = quoted(episode.query)[0] ?? '';
    const found = await episode.look(
      ([panels, text]) =>
        [...document.querySelectorAll(panels)].findIndex((one) =>
          [...one.querySelectorAll('.alink')].some((each) => each.textContent === text),
        ),
      [panel, wanted] as const,
    );
    // The second tab of one task is empty, and right where the first does not have the link.
    const index = found < 0 ? 1 : found;
    const shown = await episode.look(
      ([panels, nth]) => document.querySelectorAll<HTMLElement>(panels)[nth]?.checkVisibility() === true,
      [panel, index] as const,
    );
    if (!shown) await episode.act.click(await episode.mark(opener, index));
    if (found < 0) return;
    const nth = await episode.look(
      ([panels, at, text]) => {
        const inside = document.querySelectorAll(panels)[at]?.querySelectorAll('.alink') ?? [];
        const all = [...document.querySelectorAll('.alink')];
        const first = [...inside].find((one) => one.textContent === text);
        return first ? all.indexOf(first) : -1;
      },
      [panel, index, wanted] as const,
    );
    await episode.act.click(await episode.mark('.alink', nth));
  };

const tab: Solver = (episode) => episode.clickText('#area ul a', read(episode.query, /(Tab #\d)/)[0] ?? '');

const section: Solver = async (episode) => {
  await episode.act.click('#area h3');
  await episode.until(() => document.querySelector<HTMLElement>('.ui-accordion-content')?.checkVisibility(), null);
  await episode.submit();
};

const closeDialog: Solver = ({ act }) => act.click('.ui-dialog-titlebar-close');

const dialogButton: Solver = async (episode) => {
  const [label] = quoted(episode.query);
  if (label === 'x') await closeDialog(episode);
  else await episode.clickText('.ui-dialog-buttonset button', label ?? '');
};

const color: Solver = async (episode) => {
  const name = await episode.look(() => {
    const box = document.querySelector<HTMLElement>('#query-color');
    return box ? box.style.backgroundColor : document.querySelector('#query .bold')?.textContent;
  });
  await episode.act.click(`#area .color[data-color="${name}"]`);
};

const shades: Solver = async (episode) => {
  const [name] = read(episode.query, /shades of (\w+)/);
  const count = (await episode.texts(`#area span[data-color="${name}"]`)).length;
  for (let nth = 0; nth < count; nth++) await episode.act.click({ css: `#area span[data-color="${name}"]`, nth });
  await episode.submit('#submit');
};

const widget: Solver = ({ act, query }) => act.click({ css: `#area [data-type="${quoted(query)[0]}"]`, nth: 0 });

const option: Solver = async (episode) => {
  const [wanted] = listed(episode.query);
  await episode.act.check(`#ch${(await episode.texts('#boxes label')).indexOf(wanted ?? '')}`);
  await episode.submit();
};

const boxes =
  (act: (episode: Episode, index: number) => Promise<void>): Solver =>
  async (episode) => {
    const labels = await episode.texts('#area label');
    for (const wanted of listed(episode.query)) await act(episode, labels.indexOf(wanted));
    await episode.submit();
  };

const similarBoxes: Solver = async (episode) => {
  const labels = await episode.texts('#area label');
  const groups = await episode.look(() => (globalThis as unknown as { SYNONYMS: string[][] }).SYNONYMS);
  for (const word of listed(episode.query)) {
    const group = groups.find((one) => one.includes(word)) ?? [];
    await episode.act.check(`#ch${labels.findIndex((label) => group.includes(label))}`);
  }
  await episode.submit();
};

const numberBoxes: Solver = async (episode) => {
  const on = await episode.look(
    (digit) => {
      const all = (globalThis as unknown as { PATTERNS: number[][][] }).PATTERNS;
      return (all[digit] ?? []).flat().flatMap((set, index) => (set ? [index] : []));
    },
    Number(quoted(episode.query)[0]),
  );
  for (const nth of on) await episode.act.check({ css: '#checkboxes input', nth });
  await episode.submit();
};

/** A click on any item counts: what leads to the one that is meant is only passed over. */
const menu: Solver = async (episode) => {
  const path = read(episode.query, /^Select (.+)$/)[0]?.split('>') ?? [];
  for (const item of path.slice(0, -1))
    await episode.act.hover(await episode.pick('#menu li > div', (text) => text === item));
  await episode.clickText('#menu li > div', path.at(-1) ?? '');
};

/** A menu that opens its parts when the pointer comes over them. */
const hoveredMenu: Solver = async (episode) => {
  await episode.act.click('#open-menu');
  const [label] = quoted(episode.query).slice(1);
  const icon = await episode.look(() => document.querySelector('#query .ui-icon')?.className.split(' ')[1] ?? '');
  const index = await episode.look(
    ([text, kind]) =>
      [...document.querySelectorAll('#menu li')].findIndex((one) =>
        text ? one.textContent?.trim() === text : one.querySelector(`:scope > div > .${kind}`),
      ),
    [label ?? '', icon] as const,
  );
  const item = await episode.mark('#menu li', index);
  const inner = await episode.look((css) => document.querySelector(css)?.closest('#menu ul') !== null, item);
  if (inner) await episode.act.hover(await episode.pick('#menu > li > div', (text) => text === 'Playback'));
  await episode.act.click(`${item} > div`);
};

const tree: Solver = async (episode) => {
  const path = await episode.look((name) => {
    const all = [...document.querySelectorAll('#tree span')];
    const depth = (one: Element): number => (one.closest('#tree ul') ? 1 : 0);
    const [span] = all.filter((one) => one.textContent === name).sort((a, b) => depth(a) - depth(b));
    const list: number[] = [];
    for (let at = span; at; at = at.closest('ul')?.parentElement?.querySelector(':scope > span') ?? undefined) {
      if (list.includes(all.indexOf(at))) break;
      list.unshift(all.indexOf(at));
      if (!at.closest('#tree')) break;
    }
    return list;
  }, quoted(episode.query)[0] ?? '');
  for (const index of path) await episode.act.click(await episode.mark('#tree span', index));
};

const focus: Solver = ({ act, query }) =>
  act.click({ css: '#area input', nth: query.includes('the textbox') ? 0 : ordinal(query) });

export const CLICKS: Record<string, Solver> = {
  'click-test': oneOfTwo,
  'click-test-2': oneOfTwo,
  'click-test-transfer': oneOfTwo,
  'click-button': button,
  'unicode-test': button,
  'click-button-sequence': sequence,
  'button-delay': delay,
  'click-link': link,
  'click-tab': tab,
  'click-tab-2': behind('#area > ul a', '#area > div'),
  'click-tab-2-easy': behind('#area > ul a', '#area > div'),
  'click-tab-2-medium': behind('#area > ul a', '#area > div'),
  'click-tab-2-hard': behind('#area > ul a', '#area > div'),
  'click-collapsible': section,
  'click-collapsible-nodelay': section,
  'click-collapsible-2': behind('#area > h3', '#area > div'),
  'click-collapsible-2-nodelay': behind('#area > h3', '#area > div'),
  'click-dialog': closeDialog,
  'click-dialog-2': dialogButton,
  'click-color': color,
  'click-shades': shades,
  'click-widget': widget,
  'click-option': option,
  'click-checkboxes': boxes(({ act }, index) => act.check(`#ch${index}`)),
  'click-checkboxes-large': boxes(({ act }, nth) => act.click({ css: '#area label', nth })),
  'click-checkboxes-transfer': boxes(({ act }, index) => act.click(`#ch${index}`)),
  'click-checkboxes-soft': similarBoxes,
  'number-checkboxes': numberBoxes,
  'click-menu': menu,
  'click-menu-2': hoveredMenu,
  'navigate-tree': tree,
  'focus-text': focus,
  'focus-text-2': focus,
};
