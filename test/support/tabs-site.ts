import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site whose work is done in several tabs: a board that opens tickets, a form, and a page beside it. */
export interface TabsSite {
  url: string;
  /** What it was sent, oldest first: the same twice is there twice. */
  tickets(): number;
  messages(): Record<string, string>[];
  /** How often a page was asked for. */
  opened(path: string): number;
  close(): Promise<void>;
}

/** How long it takes to answer what changes something, milliseconds: the time in which nobody knows whether it happened. */
const SLOW = 250;

export async function startTabsSite(): Promise<TabsSite> {
  let tickets = 0;
  const messages: Record<string, string>[] = [];
  const opened: string[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const page = (title: string, body: string) =>
      void response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`);
    const goTo = (location: string) => void response.writeHead(303, { location }).end();
    if (request.method === 'GET') opened.push(pathname);
    if (pathname === '/board') return page('Board', '<a href="/ticket/new" target="_blank">New ticket</a>');
    if (pathname === '/ticket/new') {
      tickets += 1;
      const number = tickets;
      await new Promise((done) => setTimeout(done, SLOW));
      return goTo(`/ticket/${number}`);
    }
    const number = /^\/ticket\/(\d+)$/.exec(pathname)?.[1];
    if (number) return page(`Ticket ${number}`, `<p data-testid="number">${number}</p>`);
    if (pathname === '/aside') return page('Aside', '<p data-testid="note">Beside it</p>');
    if (pathname === '/form' && request.method === 'POST') {
      const body = (await request.toArray()).join('');
      messages.push(Object.fromEntries(new URLSearchParams(body)));
      await new Promise((done) => setTimeout(done, SLOW));
      return goTo('/form');
    }
    if (pathname === '/form') return page('Form', messages.length > 0 ? `<p>Message sent</p>${FORM}` : FORM);
    response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tickets: () => tickets,
    messages: () => structuredClone(messages),
    opened: (path) => opened.filter((one) => one === path).length,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const FORM = `<form method="post" action="/form">
  <label>Message <textarea name="message"></textarea></label>
  <label>Kind <select name="kind"><option value="">–</option><option value="q">Question</option><option value="c">Complaint</option></select></label>
  <label><input type="checkbox" name="copy"> Send me a copy</label>
  <button>Send</button>
</form>`;

/** Works in up to four tabs of the site: two that it opens, one that a click opens, and one that a person closes. */
export function tabsWorkflow(origin: string): string {
  const act = (id: string, action: string, args: string, more = '') =>
    `  - { id: ${id}, type: browser_action, action: ${action}, arguments: { ${args} }${more && `, ${more}`} }\n`;
  const once = 'retry: { on: [tab_lost, element_not_found, element_not_actionable, navigation_failed, timeout] }';
  const read = 'target: { testId: note }, as: text';
  const there = 'when: step.ticket.openedTab != null, tab: "{{step.ticket.openedTab}}"';
  const gone = 'tab: "{{step.aside.tab}}", onError: continue, retry: { maxAttempts: 1 }';
  const steps = [
    act('board', 'navigate', `url: "${origin}/board"`),
    act('form', 'open_tab', `url: "${origin}/form"`),
    act('write', 'fill', 'target: { label: Message }, value: "Hello, & welcome"'),
    act('to_board', 'switch_tab', 'tab: t1'),
    act('ticket', 'click', 'target: { role: link, name: New ticket }', once),
    act('number', 'extract', 'target: { testId: number }, as: text', there),
    act('aside', 'open_tab', `url: "${origin}/aside", active: false`),
    act('to_form', 'switch_tab', 'tab: "{{step.form.tab}}"'),
    act('kind', 'select_option', 'target: { label: Kind }, label: Question'),
    '  - { id: closed, type: wait, signal: closed }\n',
    act('look', 'extract', read, gone),
    act('copy', 'check', 'target: { label: Send me a copy }'),
    act('send', 'click', 'target: { role: button, name: Send }', once),
    act('sent', 'wait_for', 'text: Message sent'),
    act('look_again', 'extract', read, gone),
  ];
  return `format: tabloom/v1
id: several-tabs
name: Several tabs
sites: ["http://127.0.0.1/*"]
timeout: 10m
steps:
${steps.join('')}output: { form: "{{step.form.tab}}", aside: "{{step.aside.tab}}" }
`;
}

/** Its steps, in order. */
export const TABS_STEPS =
  'board form write to_board ticket number aside to_form kind closed look copy send sent look_again'.split(' ');
