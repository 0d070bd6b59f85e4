/** @jsxImportSource react */
import { Autocomplete, Checkbox, FormControlLabel, MenuItem, Switch, TextField } from '@mui/material';
import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
import { DatePicker } from '@mui/x-date-pickers/DatePicker';
import { LocalizationProvider } from '@mui/x-date-pickers/LocalizationProvider';
import dayjs from 'dayjs';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { at, expose, markup } from './page.ts';

markup('<div id="app"></div>');
const INITIAL = {
  city: null as string | null,
  tags: [] as string[],
  kind: 't',
  day: '2026-03-01',
  name: 'Old',
  agree: false,
  notify: false,
};
let last = INITIAL;
expose(() => last);

function Form() {
  const [model, setModel] = useState(INITIAL);
  last = model;
  const set = (part: Partial<typeof INITIAL>): void => setModel((before) => ({ ...before, ...part }));
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <TextField label="Name" value={model.name} onChange={(event) => set({ name: event.target.value })} />
      <Autocomplete
        options={['Berlin', 'Bern', 'Paris', 'Perth']}
        value={model.city}
        onChange={(_event, city) => set({ city })}
        renderInput={(params) => <TextField {...params} label="City" />}
      />
      <Autocomplete
        multiple
        options={['Alpha', 'Beta', 'Gamma']}
        value={model.tags}
        onChange={(_event, tags) => set({ tags })}
        renderInput={(params) => <TextField {...params} label="Tags" />}
      />
      <TextField select label="Kind" value={model.kind} onChange={(event) => set({ kind: event.target.value })}>
        <MenuItem value="t">Travel</MenuItem>
        <MenuItem value="m">Meals</MenuItem>
      </TextField>
      <DatePicker
        label="Day"
        value={dayjs(model.day)}
        onChange={(day) => set({ day: day?.isValid() ? day.format('YYYY-MM-DD') : '' })}
      />
      <FormControlLabel
        label="I agree"
        control={<Checkbox checked={model.agree} onChange={(_event, agree) => set({ agree })} />}
      />
      <FormControlLabel
        label="Notify me"
        control={<Switch checked={model.notify} onChange={(_event, notify) => set({ notify })} />}
      />
    </LocalizationProvider>
  );
}

createRoot(at('#app')).render(<Form />);
