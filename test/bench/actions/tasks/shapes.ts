import type { Episode, Solver } from '../episode.ts';
import { quoted, read, type ShapeWish, shapeWish } from '../utterance.ts';

/** Tasks of drawings: SVG and canvas. */

interface Shape {
  tag: string;
  color: string;
  text: string;
  large: boolean;
}

const KINDS: Record<string, string> = { circle: 'circle', rect: 'rectangle', polygon: 'triangle' };

/** All that the drawing holds, in document order. */
const drawn = (episode: Episode): Promise<Shape[]> =>
  episode.look(() =>
    [...document.querySelectorAll<SVGGraphicsElement>('#area_svg > *')].map((one) => ({
      tag: one.localName,
      color: one.getAttribute('fill') ?? '',
      text: one.textContent ?? '',
      large: one.localName === 'text' ? one.getAttribute('font-size') === '20px' : one.getBBox().width > 15,
    })),
  );

function fits({ tag, color, text, large }: Shape, wish: ShapeWish): boolean {
  if (wish.size && large !== (wish.size === 'large')) return false;
  if (wish.color && color !== wish.color) return false;
  const type = tag !== 'text' ? 'shape' : /\d/.test(text) ? 'digit' : 'letter';
  return ['item', type, tag === 'text' ? text : KINDS[tag]].includes(wish.what);
}

const clickShape: Solver = async (episode) => {
  const wish = shapeWish(episode.query);
  const index = (await drawn(episode)).findIndex((shape) => fits(shape, wish));
  await episode.act.click(await episode.mark('#area_svg > *', index));
};

const countShapes: Solver = async (episode) => {
  const wish = shapeWish(episode.query.trim());
  const count = (await drawn(episode)).filter((shape) => fits(shape, wish)).length;
  await episode.clickText('#count-buttons button', String(count));
};

const identify: Solver = async (episode) => {
  const [shape] = await drawn(episode);
  const kind = KINDS[shape?.tag ?? ''] ?? (/\d/.test(shape?.text ?? '') ? 'digit' : 'letter');
  await episode.act.click(`#area-buttons [data-type="${kind}"]`);
};

/** A canvas says nothing of what is on it: {@link watchCanvas} has counted the lines as they were drawn. */
const countSides: Solver = async (episode) => {
  const sides = await episode.look(() => (globalThis as unknown as { benchLines: number }).benchLines);
  await episode.act.click(`#form [data-sides="${sides}"]`);
};

/** Put into each page before its own scripts. */
export function watchCanvas(): void {
  const proto = CanvasRenderingContext2D.prototype;
  const { beginPath, lineTo } = proto;
  const counter = globalThis as unknown as { benchLines: number };
  proto.beginPath = function () {
    if (this.canvas.id === 'c') counter.benchLines = 0;
    beginPath.call(this);
  };
  proto.lineTo = function (x, y) {
    if (this.canvas.id === 'c') counter.benchLines += 1;
    lineTo.call(this, x, y);
  };
}

const ascending: Solver = async (episode) => {
  await episode.clickText('#area_svg text', '1');
  for (let number = 2; number <= 5; number++) await episode.act.click(`#area_svg rect[data-index="${number}"]`);
};

const coordinate: Solver = ({ act, query }) => act.click(`#area circle[id="${read(query, /(\(-?\d,-?\d\))/)[0]}"]`);

const pie: Solver = async (episode) => {
  const [label = ''] = quoted(episode.query);
  // Its sign lies over the middle of the button that opens it.
  await episode.act.click('[id="wheelnav-divWheel-spreadertitle"]');
  await episode.until(
    (text) => [...document.querySelectorAll('#divWheel text')].some((one) => one.textContent === text),
    label,
  );
  await episode.clickText('#divWheel text', label);
};

export const SHAPES: Record<string, Solver> = {
  'click-shape': clickShape,
  'count-shape': countShapes,
  'identify-shape': identify,
  'count-sides': countSides,
  'ascending-numbers': ascending,
  'grid-coordinate': coordinate,
  'click-pie': pie,
  'click-pie-nodelay': pie,
};
