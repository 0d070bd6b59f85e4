import 'jquery-ui/dist/themes/base/jquery-ui.css';
import jquery from 'jquery';
import { expose, markup } from './page.ts';

// The plugins want a global.
Object.assign(window, { jQuery: jquery });
await import('jquery-ui/dist/jquery-ui.js');

markup(`
  <label>City <input id="city"></label>
  <label>Day <input id="day"></label>`);
const model = { city: '', day: '' };
expose(() => model);
jquery('#city').autocomplete({
  source: ['Berlin', 'Bern', 'Paris', 'Perth'],
  delay: 50,
  select: (_event, { item }) => {
    model.city = item.value;
  },
});
jquery('#day').datepicker({
  dateFormat: 'yy-mm-dd',
  defaultDate: '2026-03-01',
  onSelect: (text) => {
    model.day = text;
  },
});
