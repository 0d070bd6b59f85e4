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

  // What the page says of where the pointer is not is as it was.
  await run.do('wait_for', { target: { text: 'Kept open' } });

  await run.do('hover', { target: { text: 'Holder' } });
  await run.do('wait_for', { target: { text: 'Tip' } });

  await run.do('hover', { target: { text: 'Card' } });
  await run.do('wait_for', { target: { text: 'Detail' } });

  await run.do('hover', { target: { text: 'More' } });
  await run.do('click', { target: { text: 'Export' } });
  expect(await run.text('#out')).toBe('exported');
});

test('only what a rule is about is marked, a page that watches itself sees no more, and a strict policy stops nothing', async ({
  run,
  harness,
  server,
}) => {
  const policy =
    '<meta http-equiv="Content-Security-Policy" content="style-src \'none\'; require-trusted-types-for \'script\'">';
  server.instead.set('/hovered', (text) => text.replace('</style>', `</style>${policy}`));
  try {
    await run.open('/hovered?watched');
    const found = () => harness.context.pages().find((one) => one.url().endsWith('/hovered?watched'));
    await expect.poll(found).toBeTruthy();
    const page = found();
    await page?.evaluate(() => {
      const seen: string[] = [];
      new MutationObserver((changes) => {
        for (const { target, attributeName } of changes) seen.push(`${(target as Element).localName} ${attributeName}`);
      }).observe(document, { attributes: true, childList: true, subtree: true });
      Object.assign(window, { seen });
    });
    await run.do('hover', { target: { text: 'Milk' } });
    await run.do('wait_for', { target: { role: 'button', name: 'Remove' } });
    await run.do('hover', { target: { text: 'Kept open' } });
    expect(await page?.evaluate('seen')).toEqual(['li data-tabloom-hover', 'li data-tabloom-hover']);
    expect(await page?.evaluate('document.adoptedStyleSheets.length')).toBe(0);
    // A person's own pointer takes the place of ours.
    await run.do('hover', { target: { text: 'Milk' } });
    await page?.mouse.move(5, 300);
    await page?.mouse.move(6, 301);
    await expect.poll(() => page?.evaluate("document.querySelector('[data-tabloom-hover]')")).toBeNull();
  } finally {
    server.instead.clear();
  }
});
