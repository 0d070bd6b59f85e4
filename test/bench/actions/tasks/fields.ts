import type { Solver } from '../episode.ts';
import { calculate, date, listed, ordinal, quoted, read, solveForX, time } from '../utterance.ts';

/** Tasks of text fields, lists to choose from, date fields and tables to copy from. */

/** Fills one field with what the page asks for, and submits. */
const field =
  (css: string, value: (episode: Parameters<Solver>[0]) => Promise<string> | string): Solver =>
  async (episode) => {
    await episode.act.fill(css, await value(episode));
    await episode.submit();
  };

const firstQuote: Parameters<typeof field>[1] = ({ query }) => quoted(query)[0] ?? '';

const typed: Solver = async (episode) => {
  await episode.act.type('#tt', quoted(episode.query)[0] ?? '');
  await episode.submit();
};

const cased: Parameters<typeof field>[1] = ({ query }) => {
  const [word = ''] = quoted(query);
  return query.includes('upper case') ? word.toUpperCase() : word.toLowerCase();
};

const login: Solver = async (episode) => {
  const [user = '', password = ''] = quoted(episode.query);
  for (const [css, value] of [
    ['#username', user],
    ['#password', password],
  ] as const) {
    await episode.act.click(css);
    if ((await episode.texts('#popup')).length > 0) await episode.act.click('#popup-cancel');
    await episode.act.fill(css, value);
  }
  await episode.submit();
};

const password: Solver = async (episode) => {
  const [word = ''] = quoted(episode.query);
  await episode.act.fill('#password', word);
  await episode.act.fill('#verify', word);
  await episode.submit();
};

const chosenDate: Solver = async (episode) => {
  const { month, day } = date(episode.query);
  await episode.act.click('#datepicker');
  await pickDay(episode, month, day);
  await episode.submit();
};

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Leafs an open calendar to a month, and chooses a day. */
export async function pickDay(episode: Parameters<Solver>[0], month: number, day: number): Promise<void> {
  const shown = async (): Promise<number> => MONTHS.indexOf((await episode.texts('.ui-datepicker-month'))[0] ?? '') + 1;
  await episode.until(() => document.querySelector<HTMLElement>('#ui-datepicker-div')?.checkVisibility(), null);
  for (let at = await shown(); at !== month; at = await shown())
    await episode.act.click(at > month ? '.ui-datepicker-prev' : '.ui-datepicker-next');
  await episode.clickText('.ui-datepicker-calendar td a', String(day));
}

const chooseFromList: Solver = async (episode) => {
  const [label = ''] = listed(episode.query);
  await episode.act.select('#options', { label });
  await episode.submit('#area button');
};

const chooseSeveral: Solver = async (episode) => {
  await episode.act.select('#options', { values: listed(episode.query) });
  await episode.submit('#area button');
};

const autocomplete: Solver = async (episode) => {
  const [start = '', end = ''] = quoted(episode.query);
  await episode.act.fill('#tags', start);
  await episode.until(
    (text) =>
      [...document.querySelectorAll<HTMLElement>('.ui-autocomplete li')].some(
        (one) => one.checkVisibility() && one.textContent?.endsWith(text),
      ),
    end,
  );
  await episode.act.click(await episode.pick('.ui-autocomplete li', (text) => text.endsWith(end)));
  await episode.submit();
};

const copy =
  (css: string): Parameters<typeof field>[1] =>
  async ({ query, act }) => {
    const nth = /1st|2nd|3rd/.test(query) ? ordinal(query) : 0;
    return act.page.locator(css).nth(nth).inputValue();
  };

const lastWord: Parameters<typeof field>[1] = async ({ act }) =>
  (await act.page.locator('#text-area').inputValue()).split(/\s/).at(-1)?.replace('.', '') ?? '';

const nthWord: Parameters<typeof field>[1] = async (episode) =>
  ((await episode.texts('#area p'))[0] ?? '').split(' ')[ordinal(episode.query)]?.replace(/[^a-zA-Z]/g, '') ?? '';

const fromTable: Solver = async (episode) => {
  const cells = await episode.texts('#tab td');
  const [key = ''] = read(episode.query, /^Enter the value of (.+) into/);
  await episode.act.fill('#tt', cells[cells.indexOf(key) + 1] ?? '');
  await episode.submit();
};

const twoFromTable: Solver = async (episode) => {
  const cells = await episode.texts('#tab td');
  for (const nth of [1, 2]) {
    const [key = ''] = await episode.texts(`#ll${nth}`);
    await episode.act.fill(`#tt${nth}`, cells[cells.indexOf(key.replace(/:$/, '')) + 1] ?? '');
  }
  await episode.submit();
};

const movie: Solver = async (episode) => {
  const [genre = '', director = '', year = ''] = read(
    episode.query,
    /^Search for (.+) movies directed by (.+) from year (\d+)\.$/,
  );
  const labels = await episode.look(() =>
    [...document.querySelectorAll('#area input')].map(
      (one) => one.closest('p, tr, div:not(.input)')?.textContent ?? '',
    ),
  );
  for (const [nth, label] of labels.entries()) {
    const value = label.includes('Genre') ? genre : label.includes('Director') ? director : year;
    await episode.act.fill({ css: '#area input', nth }, value);
  }
  await episode.act.click('#area button, #area .final, #area .ui-submit');
};

const guess: Solver = async (episode) => {
  let [low, high] = [0, 9];
  while (low <= high) {
    const next = Math.floor((low + high) / 2);
    await episode.act.fill('#tt', String(next));
    await episode.submit();
    const answer = await episode.look(() =>
      ['correct', 'lower', 'higher'].find((id) => !document.getElementById(id)?.classList.contains('hide')),
    );
    if (answer === 'correct') return;
    if (answer === 'lower') high = next - 1;
    else low = next + 1;
  }
};

const radioAndText: Solver = async (episode) => {
  const [radio = '', number = '', box = ''] = read(
    episode.query,
    /^Check the (\d)\w+ radio button and enter the number "(-?\d+)" into the (\d)\w+ textbox/,
  );
  await episode.act.check(`input[type=radio][value="${radio}"]`);
  await episode.act.fill(`#input-${box}`, number);
  await episode.submit();
};

const styledList: Solver = async (episode) => {
  const [choice = '', label = ''] = read(episode.query, /^Choose (.+) from the dropdown.* labeled "(.+)"/);
  await episode.act.click('.selectric');
  await episode.clickText('.selectric-items li', choice);
  await episode.clickText('#buttons button', label);
};

const colorField: Solver = async (episode) => {
  const wanted = await episode.look(() => {
    const shown = document.querySelector<HTMLElement>('#query .cc');
    if (shown) {
      const parts = shown.style.backgroundColor.match(/\d+/g) ?? [];
      return parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('');
    }
    const name = /^Select (\w+)/.exec(document.querySelector('#query')?.textContent ?? '')?.[1] ?? '';
    const { ui_utils } = globalThis as unknown as { ui_utils: { colorNameToHex(name: string): string } };
    return ui_utils.colorNameToHex(name).slice(1);
  });
  await episode.act.fill('#col', wanted.toUpperCase());
  // Its palette goes when the focus does.
  await episode.act.press('Tab', '#col');
  await episode.submit();
};

const terminal: Solver = async (episode) => {
  const run = async (command: string): Promise<void> => {
    await episode.act.click('#terminal-contents');
    await episode.act.type('#terminal-target', command);
    await episode.act.press('Enter', '#terminal-target');
  };
  await run('ls');
  const files = ((await episode.texts('.terminal-output')).at(-1) ?? '').split(' ');
  const [extension] = /\.[\w.]+$/.exec(episode.query) ?? [];
  await run(`rm ${files.find((file) => (extension ? file.endsWith(extension) : !file.includes('.')))}`);
};

export const FIELDS: Record<string, Solver> = {
  'enter-text': field('#tt', firstQuote),
  'enter-text-dynamic': typed,
  'enter-text-2': field('#tt', cased),
  'enter-password': password,
  'login-user': login,
  'login-user-popup': login,
  'enter-date': field('#tt', ({ query }) => {
    const { year, month, day } = date(query);
    return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  }),
  'enter-time': field('#tt', ({ query }) => time(query)),
  'choose-date': chosenDate,
  'choose-date-nodelay': chosenDate,
  'choose-date-easy': chosenDate,
  'choose-date-medium': chosenDate,
  'choose-list': chooseFromList,
  'click-scroll-list': chooseSeveral,
  'use-autocomplete': autocomplete,
  'use-autocomplete-nodelay': autocomplete,
  'copy-paste': field('#answer-input', copy('#to-copy')),
  'copy-paste-2': field('#answer-input', copy('#area textarea')),
  'scroll-text': field('#answer-input', lastWord),
  'find-word': field('#answer-input', nthWord),
  'text-transform': field('#tt', async (episode) => (await episode.texts('#captcha span')).join('')),
  'simple-arithmetic': field('#math-answer', async (episode) =>
    String(calculate(`${(await episode.texts('#math-problem'))[0]} `)),
  ),
  'simple-algebra': field('#math-answer', async (episode) =>
    String(solveForX((await episode.texts('#math-problem'))[0] ?? '')),
  ),
  'visual-addition': field('#math-answer', async (episode) => String((await episode.texts('.addition-block')).length)),
  'read-table': fromTable,
  'read-table-2': twoFromTable,
  'multi-layouts': movie,
  'multi-orderings': movie,
  'guess-number': guess,
  'form-sequence-2': radioAndText,
  'form-sequence-3': styledList,
  'use-colorwheel': colorField,
  'use-colorwheel-2': colorField,
  terminal,
};
