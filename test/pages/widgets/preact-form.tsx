import { render } from 'preact';
import { useState } from 'preact/hooks';
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
        Name <input value={model.name} onInput={(event) => set({ name: event.currentTarget.value })} />
      </label>
      <label>
        Amount
        <input
          type="number"
          value={model.amount ?? ''}
          onInput={({ currentTarget: field }) => set({ amount: field.value === '' ? null : field.valueAsNumber })}
        />
      </label>
      <label>
        Kind
        <select value={model.kind} onChange={(event) => set({ kind: event.currentTarget.value })}>
          <option value="">–</option>
          <option value="t">Travel</option>
          <option value="m">Meals</option>
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={model.agree}
          onChange={(event) => set({ agree: event.currentTarget.checked })}
        />
        I agree
      </label>
      {['cash', 'card'].map((pay) => (
        <label key={pay}>
          <input type="radio" name="pay" checked={model.pay === pay} onChange={() => set({ pay })} /> Pay by {pay}
        </label>
      ))}
      <label>
        Notes <textarea value={model.notes} onInput={(event) => set({ notes: event.currentTarget.value })} />
      </label>
      <label>
        Day <input type="date" value={model.day} onInput={(event) => set({ day: event.currentTarget.value })} />
      </label>
      <label>
        Level
        <input
          type="range"
          value={model.level}
          onInput={(event) => set({ level: event.currentTarget.valueAsNumber })}
        />
      </label>
      <label>
        Tags
        <select
          multiple
          onChange={(event) => set({ tags: [...event.currentTarget.selectedOptions].map((option) => option.value) })}
        >
          {Object.entries({ a: 'Alpha', b: 'Beta', c: 'Gamma' }).map(([tag, name]) => (
            <option key={tag} value={tag} selected={model.tags.includes(tag)}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

render(<Form />, at('#app'));
