import { expect, it } from 'vitest';
import { restated } from '../../src/actions/page/act/hover-styles.ts';

const style = (selectorText: string, declarations: string, cssRules: CSSRule[] = []): CSSRule =>
  ({
    selectorText,
    style: { cssText: declarations },
    cssRules,
    cssText: `${selectorText} { ${declarations} ${cssRules.map(({ cssText }) => cssText).join(' ')} }`,
  }) as unknown as CSSRule;
const group = (prelude: string, cssRules: CSSRule[]): CSSRule =>
  ({ cssRules, cssText: `${prelude}{ ${cssRules.map(({ cssText }) => cssText).join(' ')} }` }) as unknown as CSSRule;

it('says only the rules for :hover again, for the mark', () => {
  const rules = [style('a', 'color: red;'), style('li:hover > a, a:hover', 'color: blue;')];
  expect(restated(rules)).toBe('li[data-tabloom-hover] > a, a[data-tabloom-hover]{color: blue;}');
});

it('keeps what holds a rule, and leaves out what a holder says itself', () => {
  const rules = [
    group('@media (min-width: 100px) ', [style('a', 'color: red;'), style('a:hover', 'color: blue;')]),
    group('@media print ', [style('a', 'color: red;')]),
    style('li', 'margin: 0;', [style('&:hover b', 'display: block;')]),
  ];
  expect(restated(rules)).toBe(
    '@media (min-width: 100px) {a[data-tabloom-hover]{color: blue;}}li{&[data-tabloom-hover] b{display: block;}}',
  );
  expect(restated(undefined)).toBe('');
});
