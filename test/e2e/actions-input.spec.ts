import { expect, type Page } from '@playwright/test';
import { type Run, test } from '../support/pages/run.ts';

/** The mouse and the keyboard of page actions, in a real Chromium: what a page hears and what comes of it, beside a person's input. */

type Harness = { context: { pages(): Page[]; newPage(): Promise<Page> } };

/** The page of a run's tab. */
function pageOf(harness: Harness, path: string): Page {
  const page = harness.context.pages().find((one) => new URL(one.url()).pathname === path);
  if (!page) throw new Error(`no page at ${path}`);
  return page;
}

async function logOf(page: Page): Promise<string[]> {
  return page.evaluate('log.splice(0)');
}

test.describe('what a page hears is what it hears of a person', () => {
  /** Does the same by Playwright's trusted input and by an action, each on a page of its own that was used alike before. */
  async function same(
    run: Run,
    harness: Harness,
    real: (page: Page) => Promise<void>,
    act: (run: Run) => Promise<void>,
    prepare: (page: Page) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const page = await harness.context.newPage();
    await page.goto(`${run.site}/input-log`);
    await prepare(page);
    await logOf(page);
    await real(page);
    const wanted = await logOf(page);
    await page.close();
    await run.open('/input-log');
    const own = pageOf(harness, '/input-log');
    await prepare(own);
    await logOf(own);
    await act(run);
    expect(await logOf(own)).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(2);
  }

  test('click, double-click, right click, and with a key held', async ({ run, harness }) => {
    await same(
      run,
      harness,
      (page) => page.click('#one'),
      (own) => own.do('click', { target: { css: '#one' } }),
    );
    await same(
      run,
      harness,
      (page) => page.dblclick('#one'),
      (own) => own.do('click', { target: { css: '#one' }, count: 2 }),
    );
    await same(
      run,
      harness,
      (page) => page.click('#two', { button: 'right' }),
      (own) => own.do('click', { target: { css: '#two' }, button: 'right' }),
    );
    await same(
      run,
      harness,
      (page) => page.click('#other', { clickCount: 3 }),
      (own) => own.do('click', { target: { css: '#other' }, count: 3 }),
    );
  });

  test('hover, from one element to another, and a click that moves the focus', async ({ run, harness }) => {
    await same(
      run,
      harness,
      async (page) => {
        await page.hover('#one');
        await page.hover('#two');
        await page.click('#name');
        await page.click('#one');
      },
      async (own) => {
        await own.do('hover', { target: { css: '#one' } });
        await own.do('hover', { target: { css: '#two' } });
        await own.do('click', { target: { css: '#name' } });
        await own.do('click', { target: { css: '#one' } });
      },
    );
  });

  test('typing, with other characters, a line end and a change when the field is left', async ({ run, harness }) => {
    await same(
      run,
      harness,
      async (page) => {
        await page.locator('#name').pressSequentially('aB1? ');
        await page.press('#name', 'Tab');
        await page.press('#other', 'Shift+Tab');
        await page.press('#name', 'Enter');
      },
      async (own) => {
        await own.do('type', { target: { label: 'Name' }, text: 'aB1? ' });
        await own.do('press_key', { key: 'Tab' });
        await own.do('press_key', { key: 'Shift+Tab' });
        await own.do('press_key', { key: 'Enter' });
      },
    );
    await same(
      run,
      harness,
      (page) => page.locator('#area').pressSequentially('a\nb'),
      (own) => own.do('type', { target: { css: '#area' }, text: 'a\nb' }),
    );
  });

  test('copying, cutting and pasting by keys', async ({ run, harness }) => {
    const steps = [
      ['#other', 'Control+a'],
      ['#other', 'Control+c'],
      ['#name', 'Control+v'],
      ['#name', 'Control+a'],
      ['#name', 'Control+x'],
      ['#area', 'Control+v'],
    ] as const;
    await same(
      run,
      harness,
      async (page) => {
        for (const [target, key] of steps) await page.press(target, key);
      },
      async (own) => {
        for (const [css, key] of steps) await own.do('press_key', { key, target: { css } });
      },
    );
  });

  test('keys with an effect: Space, Enter, Backspace, arrows, Control+A', async ({ run, harness }) => {
    for (const [target, key] of [
      ['#one', 'Space'],
      ['#one', 'Enter'],
      ['#box', 'Space'],
      ['#link', 'Enter'],
      ['#other', 'Enter'],
      ['#other', 'Control+a'],
    ] as const) {
      await same(
        run,
        harness,
        (page) => page.press(target, key),
        (own) => own.do('press_key', { key, target: { css: target } }),
      );
    }
    await same(
      run,
      harness,
      async (page) => {
        for (const key of ['End', 'Backspace', 'ArrowLeft', 'Delete']) await page.press('#other', key);
      },
      async (own) => {
        for (const key of ['End', 'Backspace', 'ArrowLeft', 'Delete'])
          await own.do('press_key', { key, target: { css: '#other' } });
      },
    );
  });
});

test.describe('type', () => {
  test('goes behind what is there, at the caret of what has the focus, and replaces what is selected', async ({
    run,
    harness,
  }) => {
    await run.open('/input-keys');
    const page = pageOf(harness, '/input-keys');
    expect(await run.do('type', { target: { label: 'First' }, text: 'cd' })).toEqual({ value: 'abcd' });
    await page.evaluate('first.setSelectionRange(1, 3)');
    expect(await run.do('type', { target: { label: 'First' }, text: 'X' })).toEqual({ value: 'aXd' });
    expect(await run.do('type', { target: { label: 'Amount' }, text: '4' })).toEqual({ value: '34' });
    expect(await run.do('type', { target: { label: 'Mail' }, text: 'a@b.example' })).toEqual({ value: 'a@b.example' });
    expect(await run.do('type', { target: { label: 'Note' }, text: '\nthree' })).toEqual({ value: 'one\ntwo\nthree' });
    expect(await run.do('type', { target: { label: 'Rich' }, text: ' words' })).toEqual({ value: 'old words' });
    expect(await run.do('type', { target: { label: 'In shadow' }, text: 'deep' })).toEqual({ value: 'deep' });
    expect(await run.do('type', { target: { label: 'In frame', frame: { css: 'iframe' } }, text: 'x' })).toEqual({
      value: 'x',
    });
  });

  test('goes on where the page moves the focus; a field that takes nothing, or has no room, is told', async ({
    run,
    harness,
  }) => {
    await run.open('/input-keys');
    const page = pageOf(harness, '/input-keys');
    await run.do('click', { target: { label: 'Digit 1' } });
    for (const digit of ['1', '2', '3']) await run.do('press_key', { key: digit });
    expect(await page.evaluate("[...document.querySelectorAll('.digit')].map((one) => one.value).join('')")).toBe(
      '123',
    );
    expect(await run.fail('type', { target: { label: 'Deaf' }, text: 'abc' })).toMatchObject({
      code: 'element_not_actionable',
      acted: true,
      details: { reason: 'value' },
    });
    expect(await run.fail('type', { target: { label: 'Digit 1' }, text: '12' })).toMatchObject({
      code: 'element_not_actionable',
      acted: false,
      details: { most: 0 },
    });
    expect(await run.fail('type', { target: { css: 'details p' }, text: 'a' })).toMatchObject({
      code: 'element_not_found',
    });
    expect(await run.fail('type', { target: { css: '#count' }, text: 'a' })).toMatchObject({
      details: { reason: 'no field' },
    });
  });

  test('Enter at the end of a text sends the form, once; the answer to the same attempt is kept', async ({
    run,
    harness,
  }) => {
    await run.open('/input-keys');
    // Where the page was faster away than its answer there is none.
    expect([{ value: 'abx' }, { value: null }]).toContainEqual(
      await run.do('type', { target: { label: 'First' }, text: 'x\n' }),
    );
    await run.do('wait_for', { url: '/echo?first=abx' });
    await run.open('/input-keys');
    const again = { idempotencyKey: 'typed', attempt: 1 };
    await run.do('type', { target: { label: 'First' }, text: 'y' }, again);
    expect(await run.do('type', { target: { label: 'First' }, text: 'y' }, again)).toEqual({ value: 'aby' });
    expect(await pageOf(harness, '/input-keys').evaluate('first.value')).toBe('aby');
  });

  test('a secret is typed, and shown to nobody', async ({ run, harness }) => {
    await run.open('/input-keys');
    const secrets = [{ pointer: '/text', parts: [{ secret: 'password' }] }];
    const answer = await run.try('type', { target: { label: 'First' }, text: '{{secret.password}}' }, { secrets });
    expect(answer).toMatchObject({ ok: true, result: { output: { value: '••••' } } });
    expect(await pageOf(harness, '/input-keys').evaluate('first.value')).toBe('abhunter-42-secret');
    expect(JSON.stringify(await run.do('snapshot'))).not.toContain('hunter');
  });
});

test.describe('press_key', () => {
  test('on controls: steps, choices, boxes, buttons and forms do what they do for a person', async ({
    run,
    harness,
  }) => {
    await run.open('/input-keys');
    const page = pageOf(harness, '/input-keys');
    const press = async (key: string, css: string): Promise<void> => {
      await run.do('press_key', { key, target: { css } });
    };
    await press('ArrowUp', '#amount');
    expect(await page.evaluate('amount.value')).toBe('4');
    await press('ArrowDown', '#size');
    expect(await page.evaluate('size.value')).toBe('Large');
    await press('s', '#size');
    expect(await page.evaluate('size.value')).toBe('Small');
    await press('End', '#level');
    await press('ArrowLeft', '#level');
    expect(await page.evaluate('level.value')).toBe('9');
    await press('ArrowDown', '#card');
    expect(await page.evaluate('[cash.checked, document.activeElement.id]')).toEqual([true, 'cash']);
    await press('Space', '#terms');
    expect(await page.evaluate('terms.checked')).toBe(true);
    await press('Space', '#button');
    await press('Enter', '#button');
    expect(await page.evaluate('count.textContent')).toBe('2');
    await press('Enter', '#summary');
    expect(await page.evaluate('details.open')).toBe(true);
    expect(await page.evaluate("heard.includes('change level') && heard.includes('change size')")).toBe(true);
    await press('Enter', '#first');
    await run.do('wait_for', { url: '/echo?first=ab&amount=4' });
  });

  test('in texts: caret, words, lines, deletion, all, undo', async ({ run, harness }) => {
    await run.open('/input-keys');
    const page = pageOf(harness, '/input-keys');
    const keys = async (label: string, ...names: string[]): Promise<void> => {
      for (const key of names) await run.do('press_key', { key, target: { label } });
    };
    await keys('First', 'Home', 'x', 'ArrowRight', 'Backspace', 'End', '!', 'Shift+ArrowLeft', 'Delete');
    expect(await page.evaluate('first.value')).toBe('xb');
    await keys('First', 'Control+A', 'z');
    expect(await page.evaluate('first.value')).toBe('z');
    await page.evaluate('note.focus(); note.setSelectionRange(1, 1)');
    await keys('Note', 'ArrowDown', '-', 'Home', 'Enter', 'End', 'Control+Backspace');
    expect(await page.evaluate('note.value')).toBe('one\n\nt-');
    await keys('Rich', 'Control+A', 'n', 'e', 'w', 'Enter', 'x', 'Backspace', 'y');
    expect(await page.evaluate("document.getElementById('rich').innerText.trim().split(/\\n+/)")).toEqual(['new', 'y']);
  });

  test('what is copied stays in the page, and a secret is not copied; with nothing to paste the step fails', async ({
    run,
    harness,
  }) => {
    await run.open('/input-keys');
    const page = pageOf(harness, '/input-keys');
    const keys = async (label: string, ...names: string[]): Promise<void> => {
      for (const key of names) await run.do('press_key', { key, target: { label } });
    };
    expect(await run.fail('press_key', { key: 'Control+v', target: { label: 'First' } })).toMatchObject({
      code: 'element_not_actionable',
      details: { reason: 'nothing copied' },
    });
    await keys('Note', 'Control+a', 'Control+c');
    await keys('First', 'End', 'Control+v');
    await keys('Rich', 'Control+a', 'Control+x', 'Control+v', 'Control+v');
    const secrets = [{ pointer: '/value', parts: [{ secret: 'password' }] }];
    await run.do('fill', { target: { label: 'In shadow' }, value: '{{secret.password}}' }, { secrets });
    await keys('In shadow', 'Control+a', 'Control+c');
    await keys('Note', 'Control+a', 'Control+v');
    expect(await page.evaluate('[first.value, note.value, document.getElementById("rich").innerText.trim()]')).toEqual([
      'abone two',
      'old',
      'oldold',
    ]);
  });

  test('Tab goes through the page in its order, into shadow trees; Escape closes dialogs and popovers', async ({
    run,
    harness,
  }) => {
    await run.open('/input-keys');
    const page = pageOf(harness, '/input-keys');
    await run.do('press_key', { key: 'Tab', target: { css: '#cash' } });
    expect(await page.evaluate('document.activeElement.id')).toBe('terms');
    await run.do('press_key', { key: 'Shift+Tab' });
    expect(await page.evaluate('document.activeElement.id')).toBe('card');
    await page.evaluate("document.querySelector('iframe').focus()");
    await run.do('click', { target: { css: '#show' } });
    expect(await page.evaluate('dialog.open')).toBe(true);
    await run.do('press_key', { key: 'Tab' });
    expect(await page.evaluate('document.activeElement.id')).toBe('again');
    await run.do('press_key', { key: 'Escape' });
    expect(await page.evaluate('dialog.open')).toBe(false);
    await run.do('click', { target: { css: '#pop' } });
    expect(await page.evaluate("popover.matches(':popover-open')")).toBe(true);
    await run.do('press_key', { key: 'Escape' });
    expect(await page.evaluate("popover.matches(':popover-open')")).toBe(false);
  });

  test('without a target keys go where the focus is, in a frame too', async ({ run, harness }) => {
    await run.open('/input-keys');
    await run.do('click', { target: { label: 'In frame', frame: { css: 'iframe' } } });
    await run.do('press_key', { key: 'q' });
    const page = pageOf(harness, '/input-keys');
    const field = page.frameLocator('iframe').locator('input');
    expect([await field.inputValue(), await field.getAttribute('data-key')]).toEqual(['q', 'q']);
    expect(await run.fail('press_key', { key: 'Entre' })).toMatchObject({
      code: 'input_invalid',
      field: 'key',
    });
  });
});
