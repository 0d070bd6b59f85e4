import { createForm } from './controlled.js';
import { api, el, money } from './element.js';

const LONGEST = 500;
const DECISIONS = [
  ['', 'Choose…'],
  ['ask_details', 'Ask for details'],
  ['reject', 'Reject'],
  ['approve', 'Approve'],
];

/** One expense line with the form to review it. */
export async function showDetail(main, id) {
  const line = await api(`/api/expenses/${encodeURIComponent(id)}`);
  const form = createForm({ decision: '', message: '', followUp: false });

  const decision = el(
    'select',
    { id: 'decision', name: 'decision' },
    DECISIONS.map(([value, text]) => el('option', { value }, text)),
  );
  const message = el('textarea', { id: 'message', name: 'message', rows: 5, 'aria-describedby': 'count' });
  const followUp = el('input', { id: 'follow-up', name: 'followUp', type: 'checkbox' });
  const count = el('p', { id: 'count', class: 'quiet count' });
  const problem = el('p', { class: 'problem', role: 'alert' });

  form.control('decision', decision, 'value', 'change');
  form.control('message', message, 'value', 'input');
  form.control('followUp', followUp, 'checked', 'click');
  form.watch((state) => {
    count.textContent = `${state.message.length} / ${LONGEST}`;
    count.classList.toggle('over', state.message.length > LONGEST);
  });

  async function send(event) {
    event.preventDefault();
    form.render();
    const state = form.state();
    problem.textContent = faultOf(state);
    if (problem.textContent !== '') return;
    try {
      await api(`/api/expenses/${encodeURIComponent(id)}/review`, { method: 'POST', body: JSON.stringify(state) });
      showSent(main, line, state);
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  main.replaceChildren(
    el('p', {}, el('a', { href: '/expenses' }, '← All expenses')),
    el('h1', {}, `Expense ${line.id}`),
    el(
      'dl',
      { class: 'facts' },
      [
        ['Employee', line.employee],
        ['Date', line.date],
        ['Category', line.category],
        ['Description', line.description],
        ['Amount', money(line.amount, line.currency)],
        ['Receipt', line.receipt ? 'yes' : 'no'],
        ['Status', line.status],
      ].map(([term, text]) => el('div', {}, el('dt', {}, term), el('dd', {}, text))),
    ),
    line.request ? sentNote('h2', line, line.request) : null,
    el(
      'form',
      { class: 'card', novalidate: true, onsubmit: send },
      el('h2', {}, line.request ? 'Review again' : 'Review'),
      el('label', { for: 'decision' }, 'Decision'),
      decision,
      el('label', { for: 'message' }, 'Message to employee'),
      message,
      count,
      el('div', { class: 'check' }, followUp, el('label', { for: 'follow-up' }, 'Needs follow-up')),
      problem,
      el('button', { type: 'submit', class: 'primary' }, 'Send request'),
    ),
  );
  document.title = `Expense ${line.id} · Nordlicht`;
}

function faultOf(state) {
  if (state.decision === '') return 'Choose a decision.';
  if (state.message.trim() === '') return 'Write a message to the employee.';
  return state.message.length > LONGEST ? `The message is longer than ${LONGEST} characters.` : '';
}

function showSent(main, line, state) {
  const back = el('p', {}, el('a', { href: '/expenses' }, 'Back to all expenses'));
  main.replaceChildren(sentNote('h1', line, state, back));
  main.querySelector('h1').focus();
  document.title = 'Request sent · Nordlicht';
}

/** What was sent about a line: in place of the form at first, above it whenever the page is opened again. */
function sentNote(heading, line, { message, followUp }, more = null) {
  return el(
    'section',
    { class: 'card sent', role: 'status' },
    el(heading, { tabindex: '-1' }, 'Request sent'),
    el('p', {}, `${line.employee} was told about expense ${line.id}.`),
    el('blockquote', {}, message),
    followUp ? el('p', { class: 'quiet' }, 'Marked for follow-up.') : null,
    more,
  );
}
