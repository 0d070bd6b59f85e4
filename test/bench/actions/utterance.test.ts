import { describe, expect, it } from 'vitest';
import {
  appointment,
  calculate,
  date,
  dragGoal,
  listed,
  mail,
  minutes,
  ordinal,
  quoted,
  read,
  shapeWish,
  solveForX,
  time,
} from './utterance.ts';

describe('what MiniWoB++ tasks say', () => {
  it('quotes, lists and positions', () => {
    expect(quoted('Enter "ab" and "c".')).toEqual(['ab', 'c']);
    expect(listed('Select aB, c and click Submit.')).toEqual(['aB', 'c']);
    expect(listed('Select nothing and click Submit.')).toEqual([]);
    expect(listed('Select words similar to big, real and click Submit.')).toEqual(['big', 'real']);
    expect(listed('Select Cuba, Chad from the scroll list and click Submit.')).toEqual(['Cuba', 'Chad']);
    expect(ordinal('Find the 12th word in the paragraph')).toBe(11);
    expect(() => read('Dance.', /^Sing/)).toThrow('Dance.');
  });

  it('dates and times', () => {
    expect(date('Select 07/31/2016 as the date')).toEqual({ year: 2016, month: 7, day: 31 });
    expect(time('Enter 3:05 PM as the time')).toBe('15:05');
    expect(time('Enter 12:40 AM as the time')).toBe('00:40');
    expect(time('Enter 12:40 PM as the time')).toBe('12:40');
    expect(minutes('11h 4m')).toBe(664);
    expect(appointment('Create a 90 mins event named "Gym", between 12PM and 4PM.')).toEqual({
      name: 'Gym',
      halves: 3,
      from: 24,
    });
    expect(appointment('Create a 0.5 hours event named "Food", between 8AM and 12PM.')).toMatchObject({
      halves: 1,
      from: 16,
    });
  });

  it('sums', () => {
    expect(calculate('7 x 3 =')).toBe(21);
    expect(calculate('3 - 7 = ')).toBe(-4);
    expect(solveForX('x - 3 = 40')).toBe(43);
    expect(solveForX('3 - x = 40')).toBe(-37);
    expect(solveForX('3 + x = 40')).toBe(37);
  });

  it('shapes', () => {
    expect(shapeWish('Click on a large red triangle')).toEqual({ size: 'large', color: 'red', what: 'triangle' });
    expect(shapeWish('Click on a s')).toEqual({ size: '', color: '', what: 's' });
    expect(shapeWish('How many blue 7s are there?')).toEqual({ size: '', color: 'blue', what: '7' });
    expect(shapeWish('How many small items are there?')).toEqual({ size: 'small', color: '', what: 'item' });
  });

  it('where to drag', () => {
    expect(dragGoal('Drag Ann to the bottom.', 0, 5, 1)).toBe(4);
    expect(dragGoal('Drag Ann up by one position.', 3, 5, 1)).toBe(2);
    expect(dragGoal('Drag Ann to the 2nd position.', 3, 5, 1)).toBe(1);
    expect(dragGoal('Drag Ann to the center right.', 0, 9, 3)).toBe(5);
    expect(dragGoal('Drag Ann down by one.', 1, 9, 3)).toBe(4);
  });

  it('mail', () => {
    expect(mail('Find the email by Ann and reply to them with the text "Yes.".')).toEqual({
      task: 'reply',
      by: 'Ann',
      message: 'Yes.',
    });
    expect(mail('Find the email by Ann and forward that email to Bo.')).toEqual({
      task: 'forward',
      by: 'Ann',
      to: 'Bo',
    });
    expect(mail('Find the email by Ann and click the trash icon to delete it.').task).toBe('delete');
    expect(mail('Find the email by Ann and click the star icon to mark it as important.').task).toBe('star');
  });
});
