import { showDetail } from './detail.js';
import { el } from './element.js';
import { showList } from './list.js';

const main = document.querySelector('#main');
let turn = 0;

/** Shows what the address says. A view that is overtaken by the next one is dropped. */
async function show() {
  turn += 1;
  const mine = turn;
  const stage = {
    replaceChildren: (...nodes) => mine === turn && main.replaceChildren(...nodes),
    querySelector: (css) => main.querySelector(css),
  };
  const id = /^\/expenses\/([^/]+)$/.exec(location.pathname)?.[1];
  try {
    if (id === undefined) await showList(stage, new URLSearchParams(location.search), go);
    else await showDetail(stage, decodeURIComponent(id));
  } catch (error) {
    stage.replaceChildren(
      el('h1', {}, 'Not found'),
      el('p', { role: 'alert' }, error.message),
      el('p', {}, el('a', { href: '/expenses' }, 'All expenses')),
    );
  }
}

function go(address) {
  history.pushState(null, '', address);
  show();
}

// Plain clicks on the site's own links stay in the page; everything else is the browser's.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="/expenses"]') : null;
  if (
    !link ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  event.preventDefault();
  go(link.getAttribute('href'));
});
addEventListener('popstate', show);
show();
