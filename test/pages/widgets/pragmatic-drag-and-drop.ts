import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { at, expose, markup } from './page.ts';

markup(`
  <div id="card" style="width: 100px">Card</div>
  <section id="open" aria-label="Open" style="width: 200px; height: 100px"></section>
  <section id="done" aria-label="Done" style="width: 200px; height: 100px"></section>`);
const model = { card: '', of: '' };
expose(() => model);
draggable({ element: at('#card'), getInitialData: () => ({ name: 'Card' }) });
for (const id of ['open', 'done']) {
  dropTargetForElements({
    element: at(`#${id}`),
    canDrop: () => id === 'done',
    onDrop: ({ source }) => {
      model.card = String(source.data.name);
      model.of = id;
    },
  });
}
