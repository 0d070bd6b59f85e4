import noUiSlider from 'nouislider';
import 'nouislider/dist/nouislider.css';
import { at, expose, markup } from './page.ts';

markup('<div id="slider" style="margin: 40px; width: 400px"></div>');
let value = 20;
expose(() => value);
noUiSlider
  .create(at('#slider'), {
    start: value,
    step: 10,
    range: { min: 0, max: 100 },
    handleAttributes: [{ 'aria-label': 'Limit' }],
  })
  .on('set', (values) => {
    value = Number(values[0]);
  });
