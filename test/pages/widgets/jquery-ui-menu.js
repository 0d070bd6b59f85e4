import 'jquery-ui/dist/themes/base/jquery-ui.css';
import jquery from 'jquery';
import { expose, markup } from './page.ts';

// The plugins want a global.
Object.assign(window, { jQuery: jquery });
await import('jquery-ui/dist/jquery-ui.js');

markup(`
  <ul id="menu" style="width: 150px">
    <li><div>File</div><ul style="width: 150px"><li><div>Save as</div><ul style="width: 150px"><li><div>Text</div></li><li><div>Picture</div></li></ul></li></ul></li>
    <li><div>Help</div></li>
  </ul>
  <ul id="tasks" aria-label="Tasks" style="margin-top: 120px; width: 150px"><li>One</li><li>Two</li><li>Three</li></ul>`);
const model = { chosen: '', tasks: ['One', 'Two', 'Three'] };
expose(() => model);
jquery('#menu').menu({
  select: (_event, { item }) => {
    model.chosen = item.text();
  },
});
jquery('#tasks').sortable({
  update: () => {
    model.tasks = jquery('#tasks li')
      .get()
      .map(({ textContent }) => textContent);
  },
});
