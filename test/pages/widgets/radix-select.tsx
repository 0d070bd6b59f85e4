/** @jsxImportSource react */
import * as Select from '@radix-ui/react-select';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { at, expose, markup } from './page.ts';

markup('<div id="app"></div>');
let last = '';
expose(() => last);

function Field() {
  const [kind, setKind] = useState('');
  last = kind;
  return (
    <>
      <label htmlFor="kind">Kind</label>
      <Select.Root value={kind} onValueChange={setKind}>
        <Select.Trigger id="kind">
          <Select.Value placeholder="Choose" />
        </Select.Trigger>
        <Select.Portal>
          <Select.Content position="popper">
            <Select.Viewport>
              {['Travel', 'Meals', 'Gifts'].map((name) => (
                <Select.Item key={name} value={name.toLowerCase()}>
                  <Select.ItemText>{name}</Select.ItemText>
                </Select.Item>
              ))}
            </Select.Viewport>
          </Select.Content>
        </Select.Portal>
      </Select.Root>
    </>
  );
}

createRoot(at('#app')).render(<Field />);
