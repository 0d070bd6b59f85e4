import Choices from 'choices.js';
import 'choices.js/public/assets/styles/choices.css';
import { at, expose, markup } from './page.ts';

markup(`
  <label for="country" id="country-label">Country</label>
  <select id="country">
    <option value="">–</option><option value="fr">France</option><option value="de">Germany</option><option value="it">Italy</option>
  </select>`);
const model = { country: '' };
expose(() => model);
const choices = new Choices('#country', { shouldSort: false, labelId: 'country-label' });
at('#country').addEventListener('change', () => {
  model.country = String(choices.getValue(true));
});
