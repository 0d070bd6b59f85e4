import flatpickr from 'flatpickr';
import 'flatpickr/dist/flatpickr.css';
import { expose, markup } from './page.ts';

markup(`
  <label>Day <input id="day"></label>
  <label>Typed day <input id="typed"></label>`);
const model = { day: '', typed: '' };
expose(() => model);
flatpickr('#day', {
  defaultDate: '2026-03-01',
  onChange: (_days, text) => {
    model.day = text;
  },
});
flatpickr('#typed', {
  allowInput: true,
  onChange: (_days, text) => {
    model.typed = text;
  },
});
