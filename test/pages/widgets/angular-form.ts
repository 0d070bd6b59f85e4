// Compiles templates in the page, and what the packages left to be linked.
import '@angular/compiler';
import { Component } from '@angular/core';
import { FormControl, FormGroup, ReactiveFormsModule } from '@angular/forms';
import { bootstrapApplication } from '@angular/platform-browser';
import { expose, INITIAL, markup } from './page.ts';

markup('<app-root></app-root>');
const form = new FormGroup({
  name: new FormControl(INITIAL.name),
  amount: new FormControl(INITIAL.amount),
  kind: new FormControl(INITIAL.kind),
  agree: new FormControl(INITIAL.agree),
  pay: new FormControl(INITIAL.pay),
  // Takes its value when the person leaves the field.
  notes: new FormControl(INITIAL.notes, { updateOn: 'blur' }),
  day: new FormControl(INITIAL.day),
  level: new FormControl(INITIAL.level),
  tags: new FormControl(INITIAL.tags),
});
expose(() => form.value);

// As a call: decorators are no syntax of the language yet.
const App = Component({
  selector: 'app-root',
  imports: [ReactiveFormsModule],
  template: `<form [formGroup]="form">
    <label>Name <input formControlName="name"></label>
    <label>Amount <input type="number" formControlName="amount"></label>
    <label>Kind <select formControlName="kind">
      <option value="">–</option><option value="t">Travel</option><option value="m">Meals</option>
    </select></label>
    <label><input type="checkbox" formControlName="agree"> I agree</label>
    <label><input type="radio" value="cash" formControlName="pay"> Pay by cash</label>
    <label><input type="radio" value="card" formControlName="pay"> Pay by card</label>
    <label>Notes <textarea formControlName="notes"></textarea></label>
    <label>Day <input type="date" formControlName="day"></label>
    <label>Level <input type="range" formControlName="level"></label>
    <label>Tags <select multiple formControlName="tags">
      <option value="a">Alpha</option><option value="b">Beta</option><option value="c">Gamma</option>
    </select></label>
  </form>`,
})(
  class {
    form = form;
  },
);

await bootstrapApplication(App);
