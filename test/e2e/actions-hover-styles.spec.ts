import { expect } from '@playwright/test';
import { test } from '../support/pages/run.ts';

test('what a page shows by :hover alone can be clicked while the pointer is there', async ({ run }) => {
  await run.open('/hovered');
  expect(await run.fail('click', { target: { role: 'button', name: 'Remove' } })).toMatchObject({
    code: 'element_not_found',
  });
  await run.do('hover', { target: { text: 'Milk' } });
  await run.do('click', { target: { role: 'button', name: 'Remove' } });
  expect(await run.text('#out')).toBe('milk gone');

  await run.do('hover', { target: { text: 'Menu' } });
  await run.do('wait_for', { target: { text: 'Settings' } });
  expect(await run.fail('click', { target: { role: 'button', name: 'Remove' } })).toMatchObject({
    code: 'element_not_found',
  });

  await run.do('hover', { target: { text: 'More' } });
  await run.do('click', { target: { text: 'Export' } });
  expect(await run.text('#out')).toBe('exported');
});
