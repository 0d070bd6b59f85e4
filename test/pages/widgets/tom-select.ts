import TomSelect from 'tom-select';
import 'tom-select/dist/css/tom-select.css';
import { expose, markup } from './page.ts';

markup(`
  <label for="country">Country</label>
  <select id="country">
    <option value="">–</option><option value="fr">France</option><option value="de">Germany</option><option value="it">Italy</option>
  </select>
  <label for="tags">Tags</label>
  <input id="tags" value="alpha">`);
const model = { country: '', tags: ['alpha'] };
expose(() => model);
new TomSelect('#country', {
  onChange: (value: string) => {
    model.country = value;
  },
});
new TomSelect('#tags', {
  create: true,
  onChange: (value: string) => {
    model.tags = value.split(',');
  },
});
