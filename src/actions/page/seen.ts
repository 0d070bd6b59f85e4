import { flatParent } from './dom.ts';

/**
 * What hides content from eyes without `display: none`: by it a page may tell a model what no person reads. One {@link Sight} is handed down
 * the tree, so that each element is looked at once.
 */
export interface Sight {
  /** Product of the opacities so far. */
  opacity: number;
  /** Cut to nothing: `flow` spares what is positioned elsewhere, `box` what is fixed, `all` nothing. */
  cut: 'no' | 'flow' | 'box' | 'all';
  /** `visibility` of the element itself; what is in it may set its own. */
  visible: boolean;
}

export const SEEN: Sight = { opacity: 1, cut: 'no', visible: true };

/** Below this nobody sees anything. */
const LEAST_OPACITY = 0.05;
/** Boxes and letters of at most so many pixels are nothing to read: the usual ways to hide text leave one. */
const LEAST_SIZE = 1;

/** The sight of an element's content, from that of what it sits in. */
export function sightOf(element: Element, style: CSSStyleDeclaration, outer: Sight): Sight {
  const own = style.opacity === '1' ? 1 : Number(style.opacity);
  return {
    opacity: outer.opacity * (Number.isFinite(own) ? own : 1),
    cut: cutBy(element, style, outer.cut),
    visible: style.visibility === 'visible',
  };
}

function cutBy(element: Element, style: CSSStyleDeclaration, outer: Sight['cut']): Sight['cut'] {
  const { position } = style;
  let cut = outer;
  if (cut !== 'no' && cut !== 'all') {
    if (position === 'fixed' || (position === 'absolute' && cut === 'flow')) cut = 'no';
    else if (position !== 'static') cut = 'box';
  }
  if (style.clipPath !== 'none' && clipsAll(style.clipPath, element)) return 'all';
  const placed = position === 'absolute' || position === 'fixed';
  if (placed && style.clip !== 'auto' && clipsRect(style.clip)) return 'all';
  if (cut === 'no' && (hides(style.overflowX) || hides(style.overflowY)) && style.display !== 'inline') {
    const { offsetWidth, offsetHeight } = element as Partial<HTMLElement>;
    const flat = hides(style.overflowY) && offsetHeight !== undefined && offsetHeight <= LEAST_SIZE;
    const thin = hides(style.overflowX) && offsetWidth !== undefined && offsetWidth <= LEAST_SIZE;
    if (flat || thin) return position === 'static' ? 'flow' : 'box';
  }
  return cut;
}

function hides(overflow: string): boolean {
  return overflow === 'hidden' || overflow === 'clip';
}

/** `rect(top, right, bottom, left)` that leaves at most a pixel. */
function clipsRect(clip: string): boolean {
  const parts =
    /^rect\(([^)]*)\)/
      .exec(clip)?.[1]
      ?.split(/[\s,]+/)
      .filter(Boolean) ?? [];
  if (parts.length !== 4 || parts.includes('auto')) return false;
  const [top, right, bottom, left] = parts.map((part) => Number.parseFloat(part)) as [number, number, number, number];
  return right - left <= LEAST_SIZE || bottom - top <= LEAST_SIZE;
}

/** Clip paths that leave nothing: insets that meet, circles of no radius, polygons of no area. */
function clipsAll(path: string, element: Element): boolean {
  const box = (): { width: number; height: number } => element.getBoundingClientRect();
  const inset = /^inset\(([^)]*?)(?:\s+round [^)]*)?\)/.exec(path)?.[1];
  if (inset !== undefined) {
    const given = inset.split(/\s+/).filter(Boolean);
    const [top = '0', right = top, bottom = top, left = right] = given;
    const { width, height } = box();
    return rest(width, left, right) <= 0.5 || rest(height, top, bottom) <= 0.5;
  }
  if (/^(circle|ellipse)\(\s*0(px|%)?(\s|\))/.test(path)) return true;
  const points = /^polygon\((?:\w+,\s*)?([^)]*)\)/.exec(path)?.[1];
  if (points === undefined) return false;
  const pairs = points.split(',').map((pair) => pair.trim());
  return new Set(pairs).size < 3;
}

/** What of a length two insets leave. */
function rest(length: number, ...insets: string[]): number {
  return insets.reduce(
    (remaining, inset) => remaining - Number.parseFloat(inset) * (inset.endsWith('%') ? length / 100 : 1),
    length,
  );
}

/** Whether nothing of an element's content is seen, whatever its place. What is absolutely placed in it may be, see {@link Sight.cut}. */
export function isUnseen(sight: Sight): boolean {
  return sight.opacity < LEAST_OPACITY || sight.cut !== 'no';
}

let range: Range | undefined;
/** What a look at one page has found out already; it holds for that look only. */
let grounds = new WeakMap<Element, Ground | null>();
const colours = new Map<string, Colour | undefined>();

/** To be called before each look: styles may have changed. */
export function lookAnew(): void {
  grounds = new WeakMap();
}

/** Whether letters of a text are drawn where a person may scroll to, in a size and colour to be read. */
export function isTextSeen(text: Text, style: CSSStyleDeclaration): boolean {
  range ??= document.createRange();
  range.selectNodeContents(text);
  const rects = range.getClientRects();
  let reached: DOMRect | undefined;
  for (const rect of rects) {
    if (rect.width > LEAST_SIZE && rect.height > LEAST_SIZE && isReachable(rect, text)) {
      reached = rect;
      break;
    }
  }
  return reached !== undefined && !isInvisibleInk(text, style, reached);
}

/** Whether a box of some size can be scrolled to. One of no size says nothing: what it holds may be elsewhere. */
export function isBoxReachable(element: Element): boolean {
  const rect = element.getBoundingClientRect();
  return rect.width <= LEAST_SIZE || rect.height <= LEAST_SIZE || isReachable(rect, element);
}

function isReachable(rect: DOMRect, node: Node): boolean {
  // Inside the window no more is asked.
  if (rect.right > 0 && rect.bottom > 0) return true;
  const rightToLeft = getComputedStyle(document.documentElement).direction === 'rtl';
  const across = rect.right + scrollX > 0 || rightToLeft;
  const down = rect.bottom + scrollY > 0;
  if (across && down) return true;
  // Scrolled out of a box, it can be scrolled back.
  for (let box = flatParent(node); box && box !== document.body; box = flatParent(box))
    if ((across || box.scrollLeft !== 0) && (down || box.scrollTop > 0)) return box !== document.documentElement;
  return false;
}

/** Letters in the colour of what is behind them, or in none. */
function isInvisibleInk(text: Text, style: CSSStyleDeclaration, rect: DOMRect): boolean {
  const ink = colourOf(style.getPropertyValue('-webkit-text-fill-color')) ?? colourOf(style.color);
  if (!ink) return false;
  if (ink[3] < LEAST_OPACITY) return !isDrawnOtherwise(style) && !clipsToText(text);
  const holder = flatParent(text);
  const ground = holder && groundOf(holder);
  if (!ground || ground.colour[3] < 1) return false;
  if (!ground.colour.every((part, i) => i === 3 || part === ink[i])) return false;
  return !isDrawnOtherwise(style) && !liesOnOther(ground.element, text, rect, ink);
}

function isDrawnOtherwise(style: CSSStyleDeclaration): boolean {
  return style.textShadow !== 'none' || Number.parseFloat(style.getPropertyValue('-webkit-text-stroke-width')) > 0;
}

function clipsToText(text: Text): boolean {
  for (let node = flatParent(text); node; node = flatParent(node)) {
    const style = getComputedStyle(node);
    if (/text/.test(style.getPropertyValue('background-clip') + style.getPropertyValue('-webkit-background-clip')))
      return true;
  }
  return false;
}

/** Red, green, blue from 0 to 255, and opacity from 0 to 1. */
type Colour = [number, number, number, number];

interface Ground {
  element: Element;
  colour: Colour;
}

/** The nearest ground at or around an element that has a colour of its own; null where a picture comes first. */
function groundOf(element: Element): Ground | null {
  const known = grounds.get(element);
  if (known !== undefined) return known;
  const ground = findGround(element);
  grounds.set(element, ground);
  return ground;
}

function findGround(element: Element): Ground | null {
  const style = getComputedStyle(element);
  if (style.backgroundImage !== 'none') return null;
  const colour = colourOf(style.backgroundColor);
  if (!colour) return null;
  if (colour[3] > 0) return { element, colour };
  const outer = flatParent(element);
  if (outer) return groundOf(outer);
  // A page without a ground is white, unless it asks for the browser's dark one.
  const dark = /dark/.test(style.colorScheme) && matchMedia('(prefers-color-scheme: dark)').matches;
  return dark ? null : { element, colour: [255, 255, 255, 1] };
}

/** So many elements are looked at for one that lies between a text and its ground. */
const MOST_LOOKED_AT = 3000;

/** Whether something else than its ground may be right behind a text: a picture, or a box of another colour. */
function liesOnOther(ground: Element, text: Text, rect: DOMRect, ink: Colour): boolean {
  let looked = 0;
  for (const other of ground.querySelectorAll('*')) {
    if (looked++ > MOST_LOOKED_AT) return true;
    if (other.contains(text)) continue;
    const style = getComputedStyle(other);
    const picture =
      /^(img|video|canvas|svg|picture|iframe|object|embed)$/.test(other.localName) || style.backgroundImage !== 'none';
    const colour = picture ? undefined : colourOf(style.backgroundColor);
    if (!picture && (!colour || colour[3] === 0 || colour.every((part, i) => part === ink[i]))) continue;
    const box = other.getBoundingClientRect();
    if (box.left < rect.right && box.right > rect.left && box.top < rect.bottom && box.bottom > rect.top) return true;
  }
  return false;
}

function colourOf(text: string): Colour | undefined {
  if (!colours.has(text)) colours.set(text, parseColour(text));
  return colours.get(text);
}

function parseColour(text: string): Colour | undefined {
  const match = /^rgba?\(([^)]*)\)$/.exec(text);
  if (!match) return undefined;
  const parts = (match[1] as string)
    .split(/[\s,/]+/)
    .filter(Boolean)
    .map(Number);
  if (parts.length < 3 || parts.some((part) => !Number.isFinite(part))) return undefined;
  return [parts[0] as number, parts[1] as number, parts[2] as number, parts[3] ?? 1];
}
