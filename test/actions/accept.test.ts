import { expect, it } from 'vitest';
import { acceptsFile } from '../../src/actions/page/act/accept.ts';

it.each([
  ['', true],
  [' , ', true],
  ['.csv', true],
  ['.CSV, .txt', true],
  ['.sv', false],
  ['text/csv', true],
  ['TEXT/*', true],
  ['image/*', false],
  ['application/pdf, */*', true],
  ['text/c', false],
])('a file field that accepts "%s" takes Rows.csv: %s', (accept, takes) => {
  expect(acceptsFile(accept, { name: 'Rows.csv', type: 'text/csv; charset=utf-8' })).toBe(takes);
});
