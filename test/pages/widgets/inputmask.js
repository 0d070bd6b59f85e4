import Inputmask from 'inputmask';
import { at, expose, markup } from './page.ts';

markup('<label>Card <input id="card"></label><label>Amount <input id="amount"></label>');
const model = { card: '', complete: false, amount: '' };
expose(() => model);
const card = at('#card');
Inputmask({ mask: '9999 9999 9999 9999' }).mask(card);
card.addEventListener('input', () => {
  model.card = card.inputmask.unmaskedvalue();
  model.complete = card.inputmask.isComplete();
});
const amount = at('#amount');
Inputmask('currency', { prefix: '$ ' }).mask(amount);
amount.addEventListener('change', () => {
  model.amount = amount.inputmask.unmaskedvalue();
});
