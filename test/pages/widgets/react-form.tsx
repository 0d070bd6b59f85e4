/** @jsxImportSource react */
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { at, expose, INITIAL, type Model, markup } from './page.ts';

markup('<div id="app"></div>');
let last: Model = INITIAL;
expose(() => last);

function Form() {
  const [model, setModel] = useState(INITIAL);
  last = model;
  const set = (part: Partial<Model>): void => setModel((before) => ({ ...before, ...part }));
  return (
    <form>
      <label>
        Name <input value={model.name} onChange={(event) => set({ name: event.target.value })} />
      </label>
      <label>
        Amount
        <input
          type="number"
          value={model.amount ?? ''}
          onChange={(event) => set({ amount: event.target.value === '' ? null : event.target.valueAsNumber })}
        />
      </label>
      <label>
        Kind
        <select value={model.kind} onChange={(event) => set({ kind: event.target.value })}>
          <option value="">–</option>
          <option value="t">Travel</option>
          <option value="m">Meals</option>
        </select>
      </label>
      <label>
        <input type="checkbox" checked={model.agree} onChange={(event) => set({ agree: event.target.checked })} /> I
        agree
      </label>
      {['cash', 'card'].map((pay) => (
        <label key={pay}>
          <input type="radio" name="pay" checked={model.pay === pay} onChange={() => set({ pay })} /> Pay by {pay}
        </label>
      ))}
      <label>
        Notes <textarea value={model.notes} onChange={(event) => set({ notes: event.target.value })} />
      </label>
      <label>
        Day <input type="date" value={model.day} onChange={(event) => set({ day: event.target.value })} />
      </label>
      <label>
        Level
        <input type="range" value={model.level} onChange={(event) => set({ level: event.target.valueAsNumber })} />
      </label>
      <label>
        Tags
        <select
          multiple
          value={model.tags}
          onChange={(event) => set({ tags: [...event.target.selectedOptions].map((option) => option.value) })}
        >
          <option value="a">Alpha</option>
          <option value="b">Beta</option>
          <option value="c">Gamma</option>
        </select>
      </label>
    </form>
  );
}

createRoot(at('#app')).render(<Form />);
