import IMask from 'imask';
import { at, expose, markup } from './page.ts';

markup('<label>Phone <input id="phone"></label><label>Amount <input id="amount"></label>');
const model = { phone: '', complete: false, amount: 0 };
expose(() => model);
const phone = IMask(at('#phone'), { mask: '(000) 000-0000' });
phone.on('accept', () => {
  model.phone = phone.unmaskedValue;
  model.complete = phone.masked.isComplete;
});
const amount = IMask(at('#amount'), { mask: Number, thousandsSeparator: ',', radix: '.', scale: 2 });
amount.on('accept', () => {
  model.amount = amount.typedValue;
});
