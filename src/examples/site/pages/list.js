import { api, el, money } from './element.js';

const COLUMNS = [
  ['id', 'ID'],
  ['date', 'Date'],
  ['employee', 'Employee'],
  ['category', 'Category'],
  ['description', 'Description'],
  ['amount', 'Amount'],
  ['receipt', 'Receipt'],
  ['status', 'Status'],
];

/** The table of expense lines, one page of it; sorting and paging keep their place in the address. */
export async function showList(main, params, go) {
  const sort = params.get('sort') ?? '';
  const order = params.get('order') === 'descending' ? 'descending' : 'ascending';
  const address = (changes) => {
    const next = new URLSearchParams({ page: params.get('page') ?? '1', ...(sort ? { sort, order } : {}), ...changes });
    return `/expenses?${next}`;
  };
  main.querySelector('table')?.setAttribute('aria-busy', 'true');
  const data = await api(`/api/expenses?${params}`);

  const header = COLUMNS.map(([key, title]) => {
    const now = sort === key ? order : 'none';
    const sortBy = () => go(address({ page: '1', sort: key, order: now === 'ascending' ? 'descending' : 'ascending' }));
    return el(
      'th',
      { scope: 'col', 'aria-sort': now, class: key },
      el('button', { type: 'button', onclick: sortBy }, title),
    );
  });
  const rows = data.lines.map((line) =>
    el(
      'tr',
      {},
      el('td', { class: 'id' }, el('a', { href: `/expenses/${line.id}` }, line.id)),
      el('td', {}, el('time', { datetime: line.date }, line.date)),
      el('td', {}, line.employee),
      el('td', {}, line.category),
      el('td', {}, line.description),
      el('td', { class: 'amount' }, money(line.amount, line.currency)),
      el('td', {}, line.receipt ? 'yes' : 'no'),
      el('td', {}, el('span', { class: 'badge', 'data-status': line.status }, line.status)),
    ),
  );

  const turn = (number, title, rel) =>
    number >= 1 && number <= data.pages
      ? el('a', { href: address({ page: String(number) }), rel }, title)
      : el('span', { class: 'off', 'aria-hidden': 'true' }, title);
  main.replaceChildren(
    el('h1', {}, 'Expenses'),
    el('p', { class: 'quiet' }, `${data.total} lines of January 2026`),
    el(
      'div',
      { class: 'frame' },
      el('table', { 'aria-label': 'Expense lines' }, el('thead', {}, el('tr', {}, header)), el('tbody', {}, rows)),
    ),
    el(
      'nav',
      { class: 'pages', 'aria-label': 'Pages' },
      turn(data.page - 1, 'Previous', 'prev'),
      el('span', { 'aria-current': 'page' }, `Page ${data.page} of ${data.pages}`),
      turn(data.page + 1, 'Next', 'next'),
    ),
  );
  document.title = 'Expenses · Nordlicht';
}
