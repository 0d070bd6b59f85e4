import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptsFile } from '../../src/actions/page/act/accept.ts';
import { LARGEST_SIDE, planShot, type Rect } from '../../src/actions/shot.ts';

const view = { width: 800, height: 600 };
const page = { width: 800, height: 2000 };
const top = { scrollX: 0, scrollY: 0 };

describe('the plan of a picture', () => {
  it('what the window shows whole is taken where the page is', () => {
    const area = { x: 10, y: 700, width: 100, height: 50 };
    expect(planShot({ area, view, page, scale: 1 }, { scrollX: 0, scrollY: 650 })).toEqual({
      area,
      tiles: [{ scrollX: 0, scrollY: 650, part: area }],
      cut: 0,
    });
  });

  it('a whole page is taken window by window; at its end it cannot be scrolled further', () => {
    const { tiles, cut } = planShot({ area: { x: 0, y: 0, ...page }, view, page, scale: 1 }, top);
    expect(tiles.map(({ scrollY, part }) => [scrollY, part.y, part.height])).toEqual([
      [0, 0, 600],
      [600, 600, 600],
      [1200, 1200, 600],
      [1400, 1800, 200],
    ]);
    expect(cut).toBe(0);
  });

  it('what is too high for a picture is cut, at device pixels', () => {
    const high = { width: 800, height: 30_000 };
    const { area, cut } = planShot({ area: { x: 0, y: 0, ...high }, view, page: high, scale: 2 }, top);
    expect(area.height).toBe(LARGEST_SIDE / 2);
    expect(cut).toBe(30_000 - LARGEST_SIDE / 2);
  });

  it('what lies outside the page is left out', () => {
    const { area } = planShot({ area: { x: -50, y: 1900, width: 100, height: 500 }, view, page, scale: 1 }, top);
    expect(area).toEqual({ x: 0, y: 1900, width: 50, height: 100 });
  });

  it('tiles cover the area without gap or overlap, each within what the window then shows', () => {
    const length = fc.integer({ min: 1, max: 3000 });
    fc.assert(
      fc.property(length, length, length, length, fc.nat(2000), fc.nat(2000), (w, h, vw, vh, x, y) => {
        const whole = { width: Math.max(vw, x + w), height: Math.max(vh, y + h) };
        const wanted: Rect = { x, y, width: w, height: h };
        const shot = { area: wanted, view: { width: vw, height: vh }, page: whole, scale: 1 };
        // One pixel a tile would be millions of them.
        if (Math.ceil(w / vw) * Math.ceil(h / vh) > 500) return;
        const { area, tiles } = planShot(shot, top);
        expect(area).toEqual(wanted);
        expect(tiles.reduce((sum, { part }) => sum + part.width * part.height, 0)).toBe(w * h);
        for (const { scrollX, scrollY, part } of tiles) {
          expect(part.x >= scrollX && part.x + part.width <= scrollX + vw).toBe(true);
          expect(part.y >= scrollY && part.y + part.height <= scrollY + vh).toBe(true);
          expect(scrollX <= Math.max(0, whole.width - vw) && scrollY <= Math.max(0, whole.height - vh)).toBe(true);
        }
      }),
    );
  });
});

describe('accept of a file field', () => {
  it.each([
    ['', 'a.txt', 'text/plain', true],
    ['.csv', 'A.CSV', 'application/octet-stream', true],
    ['.csv', 'a.txt', 'text/csv', false],
    ['image/*', 'a.png', 'image/png', true],
    ['image/*', 'a.png', 'text/plain', false],
    ['text/csv, .xlsx', 'a', 'text/csv; charset=utf-8', true],
    ['*/*', 'a', 'x/y', true],
  ])('%j and %s of %s: %s', (accept, name, type, fits) => {
    expect(acceptsFile(accept, { name, type })).toBe(fits);
  });
});
