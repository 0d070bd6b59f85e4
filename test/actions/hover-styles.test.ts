import { expect, it } from 'vitest';
import { restated } from '../../src/actions/page/act/hover-rules.ts';

const style = (selectorText: string, declarations: string, cssRules: CSSRule[] = []): CSSRule =>
  ({
    selectorText,
    style: { cssText: declarations },
    cssRules,
    cssText: `${selectorText} { ${declarations} ${cssRules.map(({ cssText }) => cssText).join(' ')} }`,
  }) as unknown as CSSRule;
const group = (prelude: string, cssRules: CSSRule[]): CSSRule =>
  ({ cssRules, cssText: `${prelude}{ ${cssRules.map(({ cssText }) => cssText).join(' ')} }` }) as unknown as CSSRule;
const sheet = (cssRules: CSSRule[], mediaText = ''): CSSStyleSheet =>
  ({ cssRules, media: { length: mediaText ? 1 : 0, mediaText } }) as unknown as CSSStyleSheet;
const of = (...rules: CSSRule[]) => restated([sheet(rules)]);

it('says only the rules for :hover again, for the mark', () => {
  expect(of(style('a', 'color: red;'), style('li:hover > a, a:hover', 'color: blue;'))).toEqual({
    text: 'li[data-tabloom-hover] > a, a[data-tabloom-hover]{color: blue;}',
    compounds: ['li', 'a'],
    host: false,
  });
});

it('keeps what holds a rule, and leaves out what a holder says itself', () => {
  const rules = [
    group('@media (min-width: 100px) ', [style('a', 'color: red;'), style('a:hover', 'color: blue;')]),
    group('@media print ', [style('a', 'color: red;')]),
    style('li', 'margin: 0;', [style('&:hover b', 'display: block;')]),
  ];
  expect(of(...rules)).toEqual({
    text: '@media (min-width: 100px) {a[data-tabloom-hover]{color: blue;}}li{&[data-tabloom-hover] b{display: block;}}',
    compounds: ['a', ':is(li)'],
    host: false,
  });
  expect(restated([sheet([style('a:hover', 'color: red;')], 'screen')]).text).toBe(
    '@media screen {a[data-tabloom-hover]{color: red;}}',
  );
  expect(of().text).toBe('');
});

it('all that is nested in a rule for :hover holds with it, as generated style sheets write it', () => {
  const declarations = { style: { cssText: 'display: block;' }, cssText: 'display: block;' } as unknown as CSSRule;
  const inner = style('&:is(:where(.group):hover *)', '', [group('@media (hover: hover) ', [declarations])]);
  const rules = [style('.group-hover\\:block', '', [inner]), style('.hover\\:red:hover', 'color: red;')];
  expect(of(...rules)).toEqual({
    text: `.group-hover\\:block{&:is(:where(.group)[data-tabloom-hover] *){@media (hover: hover) { display: block; }}}.hover\\:red[data-tabloom-hover]{color: red;}`,
    compounds: 'any',
    host: false,
  });
});

it('what is said for where the pointer is not holds as it is, and is not said again', () => {
  const rules = [
    style('.menu:not(:hover)', 'display: none;'),
    style('.a:not(.b:hover), .c:hover', 'color: red;'),
    style('.d:not(.e):hover', 'color: blue;'),
    style('a:hover-intent', 'color: green;'),
  ];
  expect(of(...rules)).toEqual({
    text: '.c[data-tabloom-hover]{color: red;}.d:not(.e)[data-tabloom-hover]{color: blue;}',
    compounds: ['.c', '.d:not(.e)'],
    host: false,
  });
});

it('which elements the pointer is to be over: by their part of the selector, or any where that cannot be told', () => {
  expect(of(style('[title="a, b:hover > c"] .x\\:y:hover::before', 'top: 0;'))).toMatchObject({
    compounds: ['.x\\:y'],
  });
  expect(of(style('.a :is(.b:hover, .c) d', 'top: 0;'))).toMatchObject({ compounds: 'any' });
  expect(of(style(':host(:hover) b', 'top: 0;'))).toMatchObject({ host: true });
  expect(of(style(':hover', 'top: 0;'))).toMatchObject({ compounds: ['*'] });
});

it('a page with very many rules: only so many are looked at', () => {
  let read = 0;
  const rules = Array.from({ length: 40_000 }, () => ({
    get selectorText() {
      read += 1;
      return 'a';
    },
    cssRules: [],
  }));
  of(...(rules as unknown as CSSRule[]));
  expect(read).toBeLessThanOrEqual(30_000);
});
