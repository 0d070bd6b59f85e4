import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Pages that the benchmark of page actions visits, by name: a small form, a table of 500 rows, a deep article. Each has a button "Count". */
export const PAGES = { form: form(), table: table(), article: article() } as const;

export type PageName = keyof typeof PAGES;

export const PAGE_NAMES = Object.keys(PAGES) as PageName[];

function form(): string {
  return `<!doctype html><html lang=en><title>Contact form</title><h1>Contact</h1>
<form id=f onsubmit="event.preventDefault();document.getElementById('out').textContent='sent '+document.getElementById('n').value">
<label>Name <input id=n name=name></label><label>Email <input type=email name=email></label>
<label>Topic <select name=topic><option>Sales<option>Support<option>Other</select></label>
<label><input type=checkbox name=news> Newsletter</label>
<label>Message <textarea name=msg></textarea></label>
<button type=submit>Send</button> <button type=button id=noop onclick="window.c=(window.c||0)+1;document.getElementById('out').textContent='clicked '+window.c">Count</button>
<a href="article.html">Read the article</a></form><p id=out role=status></p></html>`;
}

function table(): string {
  const rows = Array.from({ length: 500 }, (_, i) => {
    const state = ['active', 'paused', 'closed'][i % 3];
    return `<tr><td>${i + 1}</td><td><a href="#c${i}">Customer ${i + 1}</a></td><td>user${i + 1}@example.test</td><td>${state}</td><td>$${((i * 7919) % 100000) / 100}</td><td><button>Edit</button></td></tr>`;
  }).join('\n');
  return `<!doctype html><html lang=en><title>Customers</title><h1>Customers</h1><button id=noop onclick="window.c=(window.c||0)+1">Count</button><table><thead><tr><th>#<th>Name<th>Email<th>Status<th>Balance<th>Action</tr></thead><tbody>${rows}</tbody></table></html>`;
}

function article(): string {
  const filler =
    'The quick brown fox jumps over the lazy dog while the workflow waits for a person to approve the next step. ';
  const points = '<li>point <em>one</em></li><li>point <strong>two</strong><ul><li>nested</li></ul></li>';
  let sections = '';
  for (let s = 1; s <= 12; s++) {
    let inner = '';
    for (let p = 1; p <= 6; p++)
      inner += `<p>Section ${s}, paragraph ${p}. ${filler.repeat(3)}<a href="#s${s}p${p}">link ${s}.${p}</a></p>`;
    sections += `${'<div>'.repeat(15)}<section aria-label="Section ${s}"><h2>Section ${s}</h2>${inner}<ul>${points.repeat(2)}</ul></section>${'</div>'.repeat(15)}`;
  }
  return `<!doctype html><html lang=en><title>Deep article</title><header><nav><a href="form.html">Form</a> <a href="table.html">Table</a></nav></header><main><article><h1>Deep article</h1><button id=noop onclick="window.c=(window.c||0)+1">Count</button>${sections}</article></main></html>`;
}

export interface BenchSite {
  origin: string;
  /** Address of one of the pages. */
  url(name: PageName): string;
  close(): void;
}

/** Serves the pages on a free port of this machine. */
export async function startSite(): Promise<BenchSite> {
  const server = createServer((request, response) => {
    const name = /^\/([a-z]+)\.html(\?|$)/.exec(request.url ?? '')?.[1] ?? '';
    if (!Object.hasOwn(PAGES, name)) return void response.writeHead(404).end('not found');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGES[name as PageName]);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: (name) => `${origin}/${name}.html`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
