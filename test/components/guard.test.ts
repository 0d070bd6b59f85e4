import { describe, expect, it } from 'vitest';
import { moved, type Sight } from '../../components/approval/guard.ts';

const sight = (over: Partial<Sight> = {}): Sight => ({
  x: 10,
  y: 400,
  cardX: 10,
  cardY: 50,
  scrollX: 0,
  scrollY: 0,
  ...over,
});

describe('whether the decision moved under the pointer', () => {
  it('nothing changed, or the person scrolled with the buttons in the text: no', () => {
    expect(moved(sight(), sight())).toBe(false);
    expect(moved(sight(), sight({ y: 300, scrollY: 100 }))).toBe(false);
  });

  it('the person scrolled and the buttons stick to the edge: no', () => {
    expect(moved(sight(), sight({ scrollY: 250 }))).toBe(false);
  });

  it('something above pushes the card down, whether the buttons stick or not: yes', () => {
    expect(moved(sight(), sight({ y: 430, cardY: 80 }))).toBe(true);
    expect(moved(sight(), sight({ cardY: 80 }))).toBe(true);
  });

  it('the card grows above the buttons: yes', () => {
    expect(moved(sight(), sight({ y: 460 }))).toBe(true);
  });

  it('the buttons let go of the edge half way through the scrolling: no', () => {
    expect(moved(sight(), sight({ y: 360, scrollY: 100 }))).toBe(false);
  });

  it('the buttons move further than what was scrolled, or the other way: yes', () => {
    expect(moved(sight(), sight({ y: 250, scrollY: 100 }))).toBe(true);
    expect(moved(sight(), sight({ y: 420, scrollY: 100 }))).toBe(true);
  });
});
