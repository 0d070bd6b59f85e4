import type { Episode, Solver } from '../episode.ts';
import { date, type Mail, mail, minutes, quoted, read } from '../utterance.ts';
import { pickDay } from './fields.ts';

/** Tasks of small applications: mail, posts, search, contacts, orders, flights, games. */

/** What an inbox asks for; some of its tasks say it in free words, and what they mean beside them. */
async function wish(episode: Episode): Promise<Mail> {
  const fields = await episode.look(
    () => (globalThis as unknown as { core: { currentFields?: Partial<Mail> & { by: string } } }).core.currentFields,
  );
  return fields ? { task: 'forward', ...fields } : mail(episode.query);
}

const inbox: Solver = async (episode) => {
  const { task, by, to, message } = await wish(episode);
  const index = (await episode.texts('#main .email-thread .email-sender')).indexOf(by);
  const row = await episode.mark('#main .email-thread', index);
  if (task === 'star' || task === 'delete') return episode.act.click(`${row} .${task === 'star' ? 'star' : 'trash'}`);
  await episode.act.click(`${row} .email-sender`);
  if (task === 'reply') {
    await episode.act.click('#email .email-reply');
    await episode.act.fill('#reply-text', message ?? '');
    return episode.act.click('#send-reply');
  }
  await episode.act.click('#email .email-forward');
  await episode.act.fill('.forward-sender', to ?? '');
  await episode.act.click('#send-forward');
};

const KINDS: Record<string, string> = { Reply: 'reply', Retweet: 'retweet', Like: 'like', Share: 'share' };

const post: Solver = async (episode) => {
  const [user = '', label = ''] = read(episode.query, /^For the user (\S+), click on the "(.+)" button/);
  const row = await episode.mark('.media', (await episode.texts('.media .username')).indexOf(user));
  const plain = KINDS[label];
  if (plain) return episode.act.click(`${row} .${plain}`);
  await episode.act.click(`${row} .more`);
  await episode.act.click(await episode.pick(`${row} li`, (text) => text === label || text.startsWith(`${label} @`)));
};

const posts: Solver = async (episode) => {
  const [label = '', amount] = read(episode.query, /^Click the "(.+)" button on (?:(\d+)|all) posts?/);
  const [user] = read(episode.query, / by (\S+) and then/);
  const rows = (await episode.texts('.media .username')).flatMap((name, index) => (name === user ? [index] : []));
  for (const index of rows.slice(0, amount ? Number(amount) : undefined))
    await episode.act.click(`${await episode.mark('.media', index)} .${KINDS[label]}`);
  await episode.submit('#submitRow button');
};

const search: Solver = async (episode) => {
  const [words = ''] = quoted(episode.query);
  const [nth = ''] = read(episode.query, /click the (\d+)\w\w search result/);
  const index = Number(nth) - 1;
  await episode.act.fill('#search-text', words);
  await episode.act.click('#search');
  const page = Math.floor(index / 3) + 1;
  if (page > 1) await episode.clickText('#pagination a', String(page));
  await episode.act.click(`#page-content a[data-result="${index}"]`);
};

const contact: Solver = async (episode) => {
  const [name, what] = read(episode.query, /^Find (.+) in the contact book and click on their (phone|email|address)/);
  for (let page = 0; (await episode.texts('#contact .name'))[0] !== name && page < 5; page++)
    await episode.clickText('#pagination a', '>');
  await episode.act.click(`#contact a.${what}`);
};

/** Index of the offer that is wanted: by its price or its duration, the least or the most of it. */
async function bestOffer(episode: Episode, button: string): Promise<number> {
  const { query } = episode;
  const values = /duration|shortest/.test(query)
    ? (await episode.texts('.time-duration')).map(minutes)
    : (await episode.texts(button)).map((text) => Number(text.replace(/[^\d]/g, '')));
  return values.indexOf(/longest|most/.test(query) ? Math.max(...values) : Math.min(...values));
}

const ticket: Solver = async (episode) => {
  await episode.act.click({ css: '.buy-ticket', nth: await bestOffer(episode, '.buy-ticket') });
};

const flight: Solver = async (episode) => {
  const [from = '', to = ''] = read(episode.query, / from: (.+) to: (.+) on /);
  for (const [css, place] of [
    ['#flight-from', from],
    ['#flight-to', to],
  ] as const) {
    await episode.act.fill(css, place);
    await episode.until(
      (text) =>
        [...document.querySelectorAll<HTMLElement>('.ui-autocomplete li')].some(
          (one) => one.checkVisibility() && one.textContent?.includes(text),
        ),
      place,
    );
    const list = css === '#flight-from' ? 0 : 1;
    const menu = await episode.mark('.ui-autocomplete', list);
    await episode.act.click(await episode.pick(`${menu} li`, (text) => text.includes(place)));
  }
  const { month, day } = date(episode.query);
  await episode.act.click('#datepicker');
  await pickDay(episode, month, day);
  await episode.act.click('#search');
  await episode.act.click({ css: '.flight-price', nth: await bestOffer(episode, '.flight-price') });
};

const order: Solver = async (episode) => {
  const [quantity, kind] = /^Order (\d) items that are (.+)$/.exec(episode.query)?.slice(1) ?? [];
  if (kind) {
    const row = await episode.look(
      (type) =>
        [...document.querySelectorAll('.food-item')].findIndex((one) => one.querySelector(`img[alt="${type}"]`)),
      kind,
    );
    const item = await episode.mark('.food-item', row);
    for (let n = 0; n < Number(quantity); n++) await episode.act.click(`${item} .add`);
  } else {
    const names = await episode.texts('.food-item .item-name');
    for (const name of read(episode.query, /^Order one of each item: (.+)$/)[0]?.split(', ') ?? [])
      await episode.act.click(`${await episode.mark('.food-item', names.indexOf(name.trim()))} .add`);
  }
  await episode.submit('#submit-order button');
};

const greatest: Solver = async (episode) => {
  const values = (await episode.texts('.card-value')).map(Number);
  // A person sees them only by turning them over.
  for (const nth of values.keys()) await episode.act.click({ css: '.card', nth });
  await episode.act.click({ css: '.card', nth: values.indexOf(Math.max(...values)) });
  await episode.submit('#submit');
};

const generate: Solver = async (episode) => {
  const { query } = episode;
  const limit = Number(/(\d+)/.exec(query)?.[1]);
  const fits = (n: number): boolean =>
    query.includes('less')
      ? n < limit
      : query.includes('greater')
        ? n > limit
        : Math.abs(n % 2) === (query.includes('odd') ? 1 : 0);
  for (let tries = 0; tries < 60; tries++) {
    await episode.act.click('#generate');
    if (fits(Number((await episode.texts('#display-number'))[0]))) break;
  }
  await episode.submit('#submit');
};

const oddOrEven: Solver = async (episode) => {
  const numbers = (await episode.texts('.display-number')).map(Number);
  for (const [nth, number] of numbers.entries())
    await episode.act.click({ css: `.row ${number % 2 === 0 ? '.even' : '.odd'}`, nth });
  await episode.submit('#submit');
};

const LINES = ['012', '345', '678', '036', '147', '258', '048', '246'].map((line) => [...line].map(Number));

/** Wins where it can, blocks where it must, and else makes as many threats as it can: the other side plays half at random. */
export function ticTacToeMove(board: string): number {
  const free = [...board].flatMap((mark, index) => (mark === ' ' ? [index] : []));
  const threats = (cells: string, mark: string): number =>
    LINES.filter((line) => {
      const marks = line.map((index) => cells[index]);
      return marks.filter((one) => one === mark).length === 2 && marks.includes(' ');
    }).length;
  const played = (index: number, mark: string): string => board.slice(0, index) + mark + board.slice(index + 1);
  const wins = (cells: string, mark: string): boolean =>
    LINES.some((line) => line.every((index) => cells[index] === mark));
  const score = (index: number): number =>
    (wins(played(index, 'x'), 'x') ? 1000 : 0) +
    (wins(played(index, 'o'), 'o') ? 100 : 0) +
    10 * threats(played(index, 'x'), 'x') +
    LINES.filter((line) => line.includes(index) && line.every((cell) => board[cell] !== 'o')).length;
  return free.sort((a, b) => score(b) - score(a))[0] ?? -1;
}

const ticTacToe: Solver = async (episode) => {
  for (let turn = 0; turn < 5; turn++) {
    const { board, done } = await episode.look(() => ({
      board: [...document.querySelectorAll('.ttt-row span')]
        .map(({ className }) => (className.includes('mark-x') ? 'x' : className.includes('mark-o') ? 'o' : ' '))
        .join(''),
      done: (globalThis as unknown as { WOB_DONE_GLOBAL: boolean }).WOB_DONE_GLOBAL,
    }));
    if (done) return;
    await episode.act.click(`#ttt-${ticTacToeMove(board)}`);
  }
};

const simon: Solver = async (episode) => {
  const order = await episode.look(
    () =>
      new Promise<number[]>((done) => {
        const seen: number[] = [];
        let quiet = setTimeout(() => done(seen), 3000);
        const observer = new MutationObserver((records) => {
          for (const { target, oldValue } of records) {
            const button = target as HTMLElement;
            if (!button.classList.contains('push') || oldValue?.includes('push')) continue;
            seen.push(Number(button.dataset.button));
            clearTimeout(quiet);
            quiet = setTimeout(() => {
              observer.disconnect();
              done(seen);
            }, 1500);
          }
        });
        const options = { subtree: true, attributes: true, attributeFilter: ['class'], attributeOldValue: true };
        observer.observe(document.querySelector('#area') as Element, options);
      }),
  );
  for (const number of await order) await episode.act.click(`#button-${number}`);
};

/** Waits for a price clearly below the limit, so that the time that a click takes does not count. */
const stock: Solver = async (episode) => {
  const limit = Number(read(episode.query, /less than \$([\d.]+)\.$/)[0]);
  const start = Date.now();
  await episode.act.page.waitForFunction(
    ([most, since]) => {
      const price = Number((document.querySelector('#stock-price')?.textContent ?? '').slice(1));
      return price > 0 && price <= most - Math.max(0, 2 - (Date.now() - since) / 4000);
    },
    [limit, start] as const,
    { polling: 20, timeout: 9000 },
  );
  await episode.act.click('#buy');
};

const INBOXES = [
  '',
  '-noscroll',
  '-delete',
  '-forward',
  '-forward-nl',
  '-forward-nl-turk',
  '-important',
  '-nl-turk',
  '-reply',
  '-star-reply',
];

export const SITES: Record<string, Solver> = {
  ...Object.fromEntries(INBOXES.map((kind) => [`email-inbox${kind}`, inbox])),
  'social-media': post,
  'social-media-all': posts,
  'social-media-some': posts,
  'search-engine': search,
  'phone-book': contact,
  'buy-ticket': ticket,
  'book-flight': flight,
  'book-flight-nodelay': flight,
  'order-food': order,
  'find-greatest': greatest,
  'generate-number': generate,
  'odd-or-even': oddOrEven,
  'tic-tac-toe': ticTacToe,
  'simon-says': simon,
  'stock-market': stock,
};
