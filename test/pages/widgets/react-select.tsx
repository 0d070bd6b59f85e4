/** @jsxImportSource react */
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import Select from 'react-select';
import { at, expose, markup } from './page.ts';

markup('<div id="app"></div>');
let last = { kind: '', tags: [] as string[] };
expose(() => last);

const KINDS = [
  { value: 't', label: 'Travel' },
  { value: 'm', label: 'Meals' },
  { value: 'g', label: 'Gifts' },
];

function Form() {
  const [model, setModel] = useState(last);
  last = model;
  return (
    <>
      <label htmlFor="kind">Kind</label>
      <Select inputId="kind" options={KINDS} onChange={(kind) => setModel({ ...model, kind: kind?.value ?? '' })} />
      <label htmlFor="tags">Tags</label>
      <Select
        inputId="tags"
        isMulti
        options={KINDS}
        onChange={(tags) => setModel({ ...model, tags: tags.map(({ value }) => value) })}
      />
    </>
  );
}

createRoot(at('#app')).render(<Form />);
