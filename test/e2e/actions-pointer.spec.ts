import { expect, type Page } from '@playwright/test';
import { test } from '../support/pages/run.ts';

/** Dragging, scrolling, and what lies over or out of the way of a target, in a real Chromium. */

type Harness = { context: { pages(): Page[] } };

function pageOf(harness: Harness, path: string): Page {
  return harness.context.pages().find((one) => new URL(one.url()).pathname === path) as Page;
}

test.describe('drag', () => {
  test('native drag and drop with its data; refused by what is dragged or by where it is dropped', async ({
    run,
    harness,
  }) => {
    await run.open('/input-drag');
    const page = pageOf(harness, '/input-drag');
    await run.do('drag', { from: { css: '#card' }, to: { css: '#zone' } });
    expect(await run.text('#zone')).toBe('got the card');
    const log = (await page.evaluate('log.splice(0)')) as string[];
    expect(log.slice(0, 5)).toEqual([
      'pointerdown card',
      'mousedown card',
      'dragstart card',
      'pointercancel card',
      'drag card',
    ]);
    expect(log.slice(-2)).toEqual(['drop zone', 'dragend card']);
    expect(log).toContain('dragleave card');
    expect(log.filter((line) => /click|up /.test(line))).toEqual([]);
    expect(
      await run.fail('drag', { from: { css: '#card' }, to: { css: '#closed' } }, { timeoutMs: 5000 }),
    ).toMatchObject({
      code: 'element_not_actionable',
      acted: true,
      details: { reason: 'not accepted' },
    });
    expect((await page.evaluate('log.splice(0)')) as string[]).not.toContain('drop closed');
    await run.do('drag', { from: { text: 'Stuck' }, to: { css: '#zone' } });
    expect((await page.evaluate('log.splice(0)')) as string[]).toContain('pointerup zone');
    await run.do('drag', { from: { css: '#card' }, to: { text: 'Far zone' } });
    expect(await run.text('#below')).toBe('got the card');
  });

  test('by the pointer: a sorted list, a captured slider, a range field', async ({ run, harness }) => {
    await run.open('/input-drag');
    const page = pageOf(harness, '/input-drag');
    await run.do('drag', { from: { css: '#sort li:nth-child(1)' }, to: { css: '#sort li:nth-child(3)' } });
    expect(
      await page.evaluate("[...document.querySelectorAll('#sort li')].map((one) => one.textContent).join('')"),
    ).toBe('BCA');
    await run.do('drag', { from: { label: 'Thumb' }, to: { css: '#track' } });
    expect(Number(await page.evaluate("thumb.getAttribute('aria-valuenow')"))).toBeGreaterThan(45);
    await run.do('drag', { from: { css: '#range' }, to: { text: 'high' } });
    expect(await page.evaluate('range.value')).toBe('90');
    expect(((await page.evaluate('changes')) as string[]).at(-1)).toBe('change 90');
    expect(await run.fail('drag', { from: { css: '#card' }, to: { css: '#nowhere' } })).toMatchObject({
      code: 'element_not_found',
      acted: false,
    });
  });
});

test.describe('drag in a drawing', () => {
  test('into an outline that the pointer falls through, also where another shape lies by then; not under what covers it', async ({
    run,
    harness,
  }) => {
    await run.open('/input-drag');
    const page = pageOf(harness, '/input-drag');
    const middle = (id: string): Promise<number[]> =>
      page.evaluate((name) => {
        const box = (document.getElementById(name) as Element).getBoundingClientRect();
        return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)];
      }, id);
    await run.do('drag', { from: { css: '#red' }, to: { css: '#frame' } });
    expect(await middle('red')).toEqual(await middle('frame'));
    await run.do('drag', { from: { css: '#blue' }, to: { css: '#frame' } });
    expect(await middle('blue')).toEqual(await middle('frame'));
    // A click there would meet what lies in the outline.
    expect(await run.fail('click', { target: { css: '#frame' } })).toMatchObject({ details: { reason: 'covered' } });
    await page.evaluate(() => {
      const glass = document.createElement('div');
      glass.id = 'glass';
      const { left, top } = (document.getElementById('frame') as Element).getBoundingClientRect();
      glass.style.cssText = `position: fixed; left: ${left}px; top: ${top}px; width: 80px; height: 50px`;
      document.body.append(glass);
    });
    const covered = await run.fail('drag', { from: { css: '#card' }, to: { css: '#frame' } });
    expect(covered).toMatchObject({ code: 'element_not_actionable', acted: false, details: { reason: 'covered' } });
    expect(covered.message).toContain('<div#glass>');
  });
});

test.describe('scroll', () => {
  test('by pixels and to an end, the page or what the target sits in', async ({ run, harness }) => {
    await run.open('/input-scroll');
    const page = pageOf(harness, '/input-scroll');
    await run.do('scroll', { by: { y: 300 } });
    expect(await page.evaluate('scrollY')).toBe(300);
    await run.do('scroll', { to: 'top' });
    expect(await page.evaluate('scrollY')).toBe(0);
    await run.do('scroll', { target: { text: 'wide' }, by: { x: 120 } });
    expect(await page.evaluate('wide.scrollLeft')).toBe(120);
    await run.do('scroll', { target: { css: '#plain' }, to: 'bottom' });
    expect(await page.evaluate('plain.scrollTop > 1000 && scrollY === 0')).toBe(true);
    await run.do('scroll', { to: 'bottom' });
    expect(await page.evaluate('scrollY > 2000')).toBe(true);
  });

  test('until an element is in view: further down, in a virtual list, above, fetched on the way; else to an end', async ({
    run,
    harness,
  }) => {
    await run.open('/input-scroll');
    const page = pageOf(harness, '/input-scroll');
    const inView = (css: string): Promise<boolean> =>
      page.evaluate((selector) => {
        const { top, bottom } = (document.querySelector(selector) as Element).getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }, css);
    await run.do('scroll', { until: { text: 'The foot of the page' } });
    expect(await inView('#foot')).toBe(true);
    await run.do('scroll', { target: { css: '#plain' }, until: { text: 'Last' } });
    const list = { css: '#virtual' };
    await run.do('scroll', { target: list, until: { text: 'Row 60', exact: true } });
    const at = await page.evaluate('virtual.scrollTop');
    expect(at).toBeGreaterThan(1500);
    await run.do('scroll', { target: { css: '#endless' }, until: { text: 'Item 3.14' } });
    await page.evaluate('endless.scrollTop = 0');
    const error = await run.fail(
      'scroll',
      { target: { css: '#endless' }, until: { text: 'Item 9.9' } },
      { timeoutMs: 15_000 },
    );
    expect(error).toMatchObject({ code: 'element_not_found', details: { reason: 'end' } });
  });
});

test.describe('what is in the way of a click', () => {
  test('page-6: a transparent overlay or a dialog over the target is named, and gets nothing', async ({
    run,
    harness,
  }) => {
    await run.open('/input-cover');
    const page = pageOf(harness, '/input-cover');
    await page.evaluate('glass.hidden = false');
    const covered = await run.fail('click', { target: { text: 'Pay' } });
    expect(covered).toMatchObject({ code: 'element_not_actionable', acted: false, details: { reason: 'covered' } });
    expect(covered.message).toContain('<div#glass>');
    await page.evaluate('glass.hidden = true; cookies.hidden = false');
    expect((await run.fail('click', { target: { text: 'Pay' } })).message).toContain('dialog "Cookies"');
    expect((await run.fail('hover', { target: { text: 'Pay' } })).message).toContain('dialog "Cookies"');
    expect(await page.evaluate('[taps.length, out.textContent]')).toEqual([0, '']);
    await page.evaluate('setTimeout(() => { cookies.hidden = true; }, 300)');
    await run.do('click', { target: { text: 'Pay' } });
    expect(await run.text('#out')).toBe('paid');
    // Scrolled under the header that sticks to the top, it is brought out from below it.
    await page.evaluate('scrollTo(0, 60)');
    await run.do('click', { target: { text: 'Pay' } });
  });

  test('page-5: below the fold of a box, and see-through until it is scrolled to', async ({ run }) => {
    await run.open('/input-cover');
    await run.do('click', { target: { text: 'Deep' } });
    expect(await run.text('#out')).toBe('deep');
    await run.do('click', { target: { text: 'Revealed' } });
    expect(await run.text('#out')).toBe('revealed');
  });

  test('page-1: drawn anew with other ids and in another order, the one that is meant gets it, or none', async ({
    run,
    harness,
  }) => {
    await run.open('/input-cover');
    const page = pageOf(harness, '/input-cover');
    const { text } = await run.do('snapshot');
    const ref = /button "Beta" \[ref=(e\d+)\]/.exec(text)?.[1] as string;
    // Often enough to fall between a look and its click, and seldom enough that a busy machine draws two frames in between.
    await page.evaluate('redraw(100)');
    for (const name of ['Gamma', 'Alpha', 'Beta', 'Gamma']) {
      await run.do('click', { target: { role: 'button', name } });
      expect(await run.text('#out')).toBe(`chose ${name}`);
    }
    expect(await run.fail('click', { target: { ref } })).toMatchObject({ code: 'ref_stale' });
    expect(await run.text('#out')).toBe('chose Gamma');
    await run.open('/input-cover?again');
    await run.do('click', { target: { role: 'button', name: 'Alpha' } });
    expect(await run.text('#out')).toBe('chose Alpha');
  });

  test('SVG: a shape in a group, twice and with a key held', async ({ run }) => {
    await run.open('/input-cover');
    await run.do('click', { target: { css: '#slice' }, count: 2, modifiers: ['Shift'] });
    expect(await run.text('#out')).toBe('slice 2 true');
  });
});
