import Sortable from 'sortablejs';
import { at, expose, markup } from './page.ts';

markup(
  `<ul id="list" aria-label="Tasks">${['One', 'Two', 'Three'].map((name) => `<li data-id="${name}">${name}</li>`).join('')}</ul>`,
);
let order = ['One', 'Two', 'Three'];
expose(() => order);
const list = Sortable.create(at('#list'), {
  onEnd: () => {
    order = list.toArray();
  },
});
