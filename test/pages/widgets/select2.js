import jquery from 'jquery';
import bind from 'select2';
import 'select2/dist/css/select2.css';
import { expose, markup } from './page.ts';

// The plugin looks for the library that it was bundled with.
const $ = bind(window, jquery);

markup(`
  <label for="country">Country</label>
  <select id="country" style="width: 20em">
    <option value="">–</option><option value="fr">France</option><option value="de">Germany</option><option value="it">Italy</option>
  </select>
  <label for="tags">Tags</label>
  <select id="tags" multiple style="width: 20em">
    <option value="a">Alpha</option><option value="b">Beta</option><option value="c">Gamma</option>
  </select>`);
const model = { country: '', tags: [] };
expose(() => model);
for (const name of ['country', 'tags']) {
  $(`#${name}`)
    .select2()
    .on('change', () => {
      model[name] = $(`#${name}`).val();
    });
}
