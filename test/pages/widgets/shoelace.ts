import '@shoelace-style/shoelace/dist/themes/light.css';
import '@shoelace-style/shoelace/dist/components/checkbox/checkbox.js';
import '@shoelace-style/shoelace/dist/components/input/input.js';
import '@shoelace-style/shoelace/dist/components/option/option.js';
import '@shoelace-style/shoelace/dist/components/select/select.js';
import '@shoelace-style/shoelace/dist/components/switch/switch.js';
import '@shoelace-style/shoelace/dist/components/textarea/textarea.js';
import { at, expose, markup } from './page.ts';

markup(`
  <sl-input label="Name" name="name" value="old"></sl-input>
  <sl-textarea label="Notes" name="notes"></sl-textarea>
  <sl-select label="Kind" name="kind"><sl-option value="t">Travel</sl-option><sl-option value="m">Meals</sl-option></sl-select>
  <sl-checkbox name="agree">I agree</sl-checkbox>
  <sl-switch name="notify">Notify me</sl-switch>`);
const model: Record<string, unknown> = { name: 'old', notes: '', kind: '', agree: false, notify: false };
expose(() => model);
for (const name of Object.keys(model)) {
  const field = at<HTMLElement & { value: string; checked?: boolean }>(`[name=${name}]`);
  field.addEventListener('sl-change', () => {
    model[name] = field.checked ?? field.value;
  });
}
