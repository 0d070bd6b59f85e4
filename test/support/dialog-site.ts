import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Pages that open the browser's own dialogs, and a log of what they were told: the other side's word on each answer. */
export interface DialogSite {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** The same server as another origin. */
  other: string;
  /** What pages have posted, in order: `confirm true`. */
  log: string[];
  /** Paths of pages that were asked for. */
  visits: string[];
  close(): Promise<void>;
}

export async function startDialogSite(): Promise<DialogSite> {
  const log: string[] = [];
  const visits: string[] = [];
  const server = createServer((request, response) => answer(request, response, log, visits));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    log,
    visits,
    close: () => closeServer(server),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });
}

const STRICT =
  "default-src 'none'; script-src 'nonce-n1'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

function answer(request: IncomingMessage, response: ServerResponse, log: string[], visits: string[]): void {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'POST') {
    log.push(decodeURIComponent(url.search.slice(1)));
    return void response.end();
  }
  if (url.pathname === '/worker.js')
    return void response.setHeader('content-type', 'text/javascript').end(SERVICE_WORKER);
  const page = PAGES[url.pathname];
  if (page === undefined) return void response.writeHead(404).end('Not found');
  visits.push(url.pathname + url.search);
  if (url.pathname === '/strict') response.setHeader('content-security-policy', STRICT);
  const [host, port] = (request.headers.host ?? '').split(':');
  const other = `http://${host === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}`;
  response
    .setHeader('content-type', 'text/html; charset=utf-8')
    .end(html(url.pathname, page.replaceAll('{{other}}', other)));
}

function html(path: string, body: string): string {
  return `<!doctype html><html lang="en"><title>${path}</title>
<script nonce="n1">const tell = (what, answer) => fetch('/told?' + encodeURIComponent(what + ' ' + answer), { method: 'POST', keepalive: true });</script>
${body}`;
}

/** One button for each kind, and what it heard. */
const BUTTONS = `<h1>Dialogs</h1>
<button id="alert">Alert</button><button id="confirm">Confirm</button><button id="prompt">Prompt</button>
<button id="print">Print</button><button id="later">Later</button><button id="twice">Twice</button><button id="go">Go</button>
<button id="loop">Loop</button><label>Note <input id="note"></label><output id="out"></output>
<script nonce="n1">
  const on = (id, act) => document.getElementById(id).addEventListener('click', act);
  const say = (what, answer) => { out.textContent = what + ' ' + answer; tell(what, answer); };
  on('alert', () => say('alert', alert('Saved.')));
  on('confirm', () => say('confirm', confirm('Delete all rows?')));
  on('prompt', () => say('prompt', prompt('Your name?', 'nobody')));
  on('print', () => say('print', print()));
  on('later', () => setTimeout(() => say('later', confirm('Still there?')), 600));
  on('twice', () => { say('first', confirm('First?')); say('second', confirm('Second?')); });
  on('go', () => { tell('go', confirm('Leave?')); location.href = '/plain?gone'; });
  on('loop', () => { let n = 0; try { while (!confirm('Again?')) n++; } catch (error) { say('loop', n); } });
  note.addEventListener('change', () => say('change', confirm('Keep ' + note.value + '?')));
</script>`;

const UNLOAD = `<h1>Unload</h1><button id="touch">Touch</button><a id="next" href="/plain?left">Next</a>
<script>
  touch.onclick = () => { touch.textContent = 'Touched'; };
  KIND
</script>`;

const PAGES: Record<string, string> = {
  '/plain': '<h1>Plain</h1>',
  '/buttons': BUTTONS,
  '/strict': BUTTONS,
  '/load': `<script>tell('load', confirm('While loading?'));</script><h1>Loaded</h1>`,
  '/load-go': `<script>tell('load', confirm('Before going on?')); location.replace('/plain?after');</script>`,
  '/unload': UNLOAD.replace('KIND', "addEventListener('beforeunload', (event) => { event.preventDefault(); });"),
  '/unload-handler': UNLOAD.replace('KIND', "onbeforeunload = () => 'You have unsaved work.';"),
  '/outer': `<h1>Outer</h1><iframe title="Foreign" src="{{other}}/buttons" width="600" height="200"></iframe>`,
  '/blank-frame': `<h1>Blank</h1><button id="ask">Ask</button>
<script>
  const frame = document.body.appendChild(document.createElement('iframe'));
  ask.onclick = () => tell('blank', frame.contentWindow.confirm('From a blank frame?'));
</script>`,
  '/asking': `<h1>Asking</h1><label>Key <input id="key"></label><label>Stuck <input id="stuck"></label>
<p id="card" draggable="true">Card</p><p id="bin">Bin</p>
<script>
  let asked = false;
  key.onkeydown = () => { if (asked) return; asked = true; tell('key', confirm('At the first key?')); };
  bin.ondragover = (event) => event.preventDefault();
  bin.ondrop = (event) => { event.preventDefault(); tell('drop', prompt('Throw away?', 'no')); };
  stuck.oninput = () => { const end = Date.now() + 14_000; while (Date.now() < end); };
</script>`,
  // Another extension's frame and scripts, and what careless pages do to what is built in.
  '/patched': `<h1>Patched</h1><label>Name <input id="name"></label><button id="go">Go</button><output id="out"></output>
<script>
  window.tabloom = 'the page’s own'; window.__tabloomPage = 'the page’s own'; window.chrome = 'the page’s own';
  const broken = () => { throw new Error('patched'); };
  Object.assign(Array.prototype, { toJSON: broken, at: broken, flatMap: broken });
  Object.assign(Element.prototype, { matches: broken, closest: broken, getAttribute: broken, scrollIntoView: broken });
  Object.assign(Document.prototype, { querySelectorAll: broken, createElement: broken, elementFromPoint: broken });
  Object.assign(JSON, { stringify: broken, parse: broken });
  Object.assign(Function.prototype, { bind: broken });
  Object.assign(window, { Promise: broken, setTimeout: broken, CustomEvent: broken, performance: null });
  document.body.insertAdjacentHTML('beforeend', '<div id="other-extension"><iframe srcdoc="<p>Helper of another extension</p>"></iframe></div>');
  new MutationObserver((changes) => { for (const { target, attributeName } of changes) tell('changed', target.localName + ' ' + attributeName); })
    .observe(document, { attributes: true, childList: true, subtree: true });
  go.onclick = () => { tell('go', [document.getElementById('name').value, confirm('Go?'), tabloom, __tabloomPage].join(' ')); };
</script>`,
  '/opener': `<h1>Opener</h1><a id="open" href="/load-late" target="_blank">Open</a>`,
  '/load-late': `<h1>Late</h1><script>setTimeout(() => tell('new tab', confirm('In a new tab?')), 1500);</script>`,
  '/open-dialog': `<h1>Open dialog</h1><button id="alert">Alert</button><script>
  document.getElementById('alert').onclick = () => alert('Nobody answers this.');
  if (location.search === '?ask') setTimeout(() => tell('asked', confirm('Here before the run?')), 100);
</script>`,
  '/look': `<h1>Look</h1><script>
  tell('look', JSON.stringify([alert, confirm, prompt, print].map((one) => [String(one), one.name, one.length])) +
    Object.getOwnPropertyNames(window).filter((name) => /tabloom|dialogs|guard|relay/i.test(name)).join());
</script>`,
  '/sw': `<h1>Worker</h1><script>
  navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => { document.title = 'ready'; document.body.append('The worker is ready'); });
</script>`,
};

/** Answers by itself, without the network. */
const SERVICE_WORKER = `
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
const page = ${JSON.stringify(html('/made', BUTTONS))};
const loading = ${JSON.stringify(html('/made-load', `<script>tell('made', confirm('Made while loading?'));</script><h1>Made</h1>`))};
addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  const body = pathname === '/made' ? page : pathname === '/made-load' ? loading : undefined;
  if (body) event.respondWith(new Response(body, { headers: { 'content-type': 'text/html' } }));
});
`;
