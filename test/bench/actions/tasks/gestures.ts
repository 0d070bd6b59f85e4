import type { Episode, Solver } from '../episode.ts';
import { appointment, dragGoal, ordinal, quoted, read } from '../utterance.ts';

/** Tasks of keys, sliders, scrolling, selecting text and dragging. */

/** Sets one slider by keys: from its nearer end, with pages of a fifth and single steps. */
async function slide(episode: Episode, css: string, wanted: number): Promise<void> {
  const { min, max, value } = await episode.look((selector) => {
    const { $ } = globalThis as unknown as { $(one: string): { slider(what: string, name?: string): number } };
    const slider = $(selector);
    return { min: slider.slider('option', 'min'), max: slider.slider('option', 'max'), value: slider.slider('value') };
  }, css);
  const handle = `${css} .ui-slider-handle`;
  const page = Math.max(1, (max - min) / 5);
  const press = async (key: string, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) await episode.act.press(key, handle);
  };
  const distances = { Home: wanted - min, End: max - wanted, '': Math.abs(wanted - value) };
  const [from] = Object.entries(distances).sort(([, a], [, b]) => a - b)[0] as [keyof typeof distances, number];
  if (from) await press(from, 1);
  const distance = distances[from];
  const up = from === 'Home' || (from === '' && wanted > value);
  const pages = Number.isInteger(page) ? Math.floor(distance / page) : 0;
  await press(up ? 'PageUp' : 'PageDown', pages);
  await press(up ? 'ArrowRight' : 'ArrowLeft', distance - pages * page);
}

const slider: Solver = async (episode) => {
  await slide(episode, '#slider', Number(read(episode.query, /^Select (-?\d+) with the slider/)[0]));
  if (episode.query.includes('checkbox')) await episode.act.check(`#checkbox-${ordinal(episode.query) + 1}`);
  await episode.submit();
};

const sliders: Solver = async (episode) => {
  const [list = ''] = read(episode.query, /(\[.*\])/);
  for (const [index, wanted] of (JSON.parse(list) as number[]).entries())
    await slide(episode, `#slider-${index + 1}`, wanted);
  await episode.submit();
};

const spinner: Solver = async (episode) => {
  const wanted = Number(read(episode.query, /^Select (-?\d+)/)[0]);
  for (let n = 0; n < Math.abs(wanted); n++)
    await episode.act.click(wanted > 0 ? '.ui-spinner-up' : '.ui-spinner-down');
  await episode.submit();
};

const scrollTo: Solver = async (episode) => {
  await episode.act.scroll('#text-area', episode.query.includes('bottom') ? 'bottom' : 'top');
  await episode.submit();
};

const agreement: Solver = async (episode) => {
  if (episode.query.startsWith('Click the cancel')) return episode.act.click('#cancel');
  const [name = '', button = ''] = quoted(episode.query);
  await episode.act.scroll('#text-area', 'bottom');
  await episode.act.fill('#name', name);
  await episode.submit(button === 'Agree' ? '#agree' : '#cancel');
};

const selectParagraph: Solver = async (episode) => {
  const css = episode.query.includes('paragraph below') ? '#randomText' : '#randomText p';
  const nth = css === '#randomText' ? 0 : ordinal(episode.query);
  await episode.act.click({ css, nth }, { count: 3 });
  await episode.submit();
};

const COLORS: Record<string, string> = {
  red: '#e60000',
  orange: '#ff9900',
  yellow: '#ffff00',
  green: '#008a00',
  blue: '#0066cc',
  purple: '#9933ff',
};

/** Styles all of a rich text; single words of it have no element to be named by, so those tasks select with keys. */
const editor: Solver = async (episode) => {
  const { query } = episode;
  await episode.act.click('#editor .ql-editor');
  const [word] = /give the text (\S+) the/.exec(query)?.slice(1) ?? [];
  if (word) {
    const text = (await episode.texts('#editor .ql-editor'))[0] ?? '';
    await episode.act.press('Control+Home');
    for (let n = 0; n < text.indexOf(word); n++) await episode.act.press('ArrowRight');
    for (let n = 0; n < word.length; n++) await episode.act.press('Shift+ArrowRight');
  } else await episode.act.press('Control+a');
  const [style] = /the style (\w+)/.exec(query)?.slice(1) ?? [];
  if (style) {
    await episode.act.click(`.ql-${{ bold: 'bold', italics: 'italic', underlined: 'underline' }[style]}`);
  } else {
    const [color = ''] = read(query, /the color (\w+)/);
    await episode.act.click('.ql-color .ql-picker-label');
    await episode.act.click(`.ql-color .ql-picker-item[data-value="${COLORS[color]}"]`);
  }
  await episode.submit();
};

/** Carries one item of a list to another's place. */
const sortOne =
  (columns: number): Solver =>
  async (episode) => {
    const names = await episode.texts('#sortable li');
    const [name = ''] = read(episode.query, /^Drag (.+?) (?:to|up|down|left|right)\b/);
    const from = names.indexOf(name);
    const to = dragGoal(episode.query, from, names.length, columns);
    await episode.act.drag({ css: '#sortable li', nth: from }, { css: '#sortable li', nth: to });
  };

const sortAll: Solver = async (episode) => {
  for (let place = 0; place < 3; place++) {
    const numbers = (await episode.texts('#sortable li')).map(Number);
    const rest = numbers.slice(place);
    const from = place + rest.indexOf(Math.min(...rest));
    if (from !== place) await episode.act.drag({ css: '#sortable li', nth: from }, { css: '#sortable li', nth: place });
  }
  await episode.submit();
};

const boxIntoBox: Solver = async (episode) => {
  await episode.act.drag('#draggableSmall', '#draggableLarge');
  await episode.submit();
};

/** What lies to each side of the drawing. */
const SIDES: Record<string, string> = { right: '#reward-display', up: '#query', down: '#subbtn', left: '#subbtn' };

const dragShape: Solver = async (episode) => {
  const [direction = ''] = read(episode.query, /^Drag the \w+ (\w+) then/);
  await episode.act.drag('#area svg > *', SIDES[direction] ?? '');
  await episode.submit();
};

const TAGS: Record<string, string> = { rectangles: 'rect:not([id])', circles: 'circle', triangles: 'polygon' };

const shapesIntoBox: Solver = async (episode) => {
  const [kind = ''] = read(episode.query, /^Drag all (\w+) into the black box/);
  const css = `#area_svg ${TAGS[kind]}`;
  const count = (await episode.texts(css)).length;
  for (let nth = 0; nth < count; nth++) await episode.act.drag(await episode.mark(css, nth), '#shape-container');
  await episode.submit();
};

const shapesIntoBoxes: Solver = async (episode) => {
  const [kind = ''] = read(episode.query, /^Drag all (\w+) (?:shapes )?into the left box/);
  const css = '#area_svg > :not([id])';
  const shapes = await episode.look(
    (selector) =>
      [...document.querySelectorAll(selector)].map((one) => [one.localName, one.getAttribute('fill')] as const),
    css,
  );
  for (const [index, [tag, fill]] of shapes.entries()) {
    const left = kind in TAGS ? TAGS[kind]?.startsWith(tag) : fill === kind;
    await episode.act.drag(await episode.mark(css, index), { css: '#shape-container', nth: left ? 0 : 1 });
  }
  await episode.submit();
};

const resize: Solver = async (episode) => {
  const [side, change] = read(episode.query, /the (width|height) is (smaller|larger)/);
  const handle = side === 'width' ? '.ui-resizable-e' : '.ui-resizable-s';
  const outside = side === 'width' ? '#reward-display' : '#submit';
  await episode.act.drag(handle, change === 'smaller' ? '#tt' : outside);
  // What was made larger may lie over the button.
  await episode.act.press('Enter', '#submit');
};

const calendar: Solver = async (episode) => {
  const { name, halves, from } = appointment(episode.query);
  await episode.act.drag(`#hh-${from}`, `#hh-${from + halves - 1}`);
  await episode.act.fill('#event-name', name);
  await episode.act.click('#controls .create');
};

export const GESTURES: Record<string, Solver> = {
  'use-slider': slider,
  'use-slider-2': sliders,
  'form-sequence': slider,
  'use-spinner': spinner,
  'scroll-text-2': scrollTo,
  'sign-agreement': agreement,
  'highlight-text': selectParagraph,
  'highlight-text-2': selectParagraph,
  'text-editor': editor,
  'drag-items': sortOne(1),
  'drag-items-grid': sortOne(3),
  'drag-sort-numbers': sortAll,
  'drag-box': boxIntoBox,
  'drag-circle': dragShape,
  'drag-single-shape': dragShape,
  'drag-shapes': shapesIntoBox,
  'drag-shapes-2': shapesIntoBoxes,
  'resize-textarea': resize,
  'daily-calendar': calendar,
};
