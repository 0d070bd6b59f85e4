// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';

interface Form {
  control(name: string, element: HTMLElement, property: string, event: string): void;
  state(): Record<string, unknown>;
  render(): void;
}

const module = new URL('../../src/examples/site/pages/controlled.js', import.meta.url).pathname;
const { createForm } = (await import(/* @vite-ignore */ module)) as { createForm(initial: object): Form };

let form: Form;
let area: HTMLTextAreaElement;
let box: HTMLInputElement;
beforeEach(() => {
  document.body.innerHTML = '<textarea></textarea><input type="checkbox">';
  area = document.querySelector('textarea') as HTMLTextAreaElement;
  box = document.querySelector('input') as HTMLInputElement;
  form = createForm({ message: '', followUp: false });
  form.control('message', area, 'value', 'input');
  form.control('followUp', box, 'checked', 'click');
});

/** What typing does: the field's own value changes, not through the page's property, and an event tells of it. */
function type(text: string): void {
  const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  native?.set?.call(area, text);
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

it('typing: changes the state and stays', () => {
  type('hello');
  form.render();
  expect([form.state().message, area.value]).toEqual(['hello', 'hello']);
});

it('a value set without an event: is gone after the next render', () => {
  area.value = 'sneaked in';
  form.render();
  expect([form.state().message, area.value]).toEqual(['', '']);
});

it("a value set through the page's property, then an event: is not a change", () => {
  area.value = 'sneaked in';
  area.dispatchEvent(new Event('input', { bubbles: true }));
  expect([form.state().message, area.value]).toEqual(['', '']);
});

it('leaving the field after a value was set without an event: shows the state again', () => {
  type('kept');
  const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  native?.set?.call(area, 'replaced');
  area.dispatchEvent(new Event('blur'));
  expect(area.value).toBe('kept');
});

it('a click on the box: checks it, a box checked by script does not count', () => {
  box.click();
  expect(form.state().followUp).toBe(true);
  box.checked = false;
  form.render();
  expect([form.state().followUp, box.checked]).toEqual([true, true]);
});
