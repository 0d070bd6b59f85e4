/** A rectangle in CSS pixels. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What is to be in a picture. In the coordinates of the page, from its top left corner. */
export interface ShotArea {
  area: Rect;
  /** Size of the window's inside, and of the page. */
  view: { width: number; height: number };
  page: { width: number; height: number };
  /** Device pixels for a CSS pixel. */
  scale: number;
  /** The browser draws the page now. */
  drawn: boolean;
}

/** What the window shows at one moment. Rectangles are in the coordinates of the window. */
export interface ShotView {
  scrollX: number;
  scrollY: number;
  width: number;
  height: number;
  /** Fields of which nothing may be seen. */
  sealed: Rect[];
  /** Frames, by their place in the window; null for one in a shadow tree. */
  frames: { index: number | null; box: Rect }[];
}

/** One part of a picture: where to scroll, and which part of the picture is taken there. */
export interface Tile {
  scrollX: number;
  scrollY: number;
  /** In the coordinates of the page. */
  part: Rect;
}

/** What to take of a page, and what was left out of it. */
export interface ShotPlan {
  area: Rect;
  tiles: Tile[];
  /** Height that was left out, CSS pixels; 0 for none. */
  cut: number;
}

/** Largest side of a picture, device pixels: what every browser can draw. */
export const LARGEST_SIDE = 16_384;

/**
 * How to take a picture of an area that may be larger than the window: window by window, rows from the top, without gap or overlap.
 * @param from where the page is scrolled to now: an area that the window shows whole is taken from there
 */
export function planShot(
  { area: wanted, view, page, scale }: Omit<ShotArea, 'drawn'>,
  from: { scrollX: number; scrollY: number },
): ShotPlan {
  const most = Math.floor(LARGEST_SIDE / scale);
  const x = Math.max(0, Math.floor(wanted.x));
  const y = Math.max(0, Math.floor(wanted.y));
  const right = Math.max(x, Math.min(Math.ceil(wanted.x + wanted.width), Math.max(page.width, view.width)));
  const bottom = Math.max(y, Math.min(Math.ceil(wanted.y + wanted.height), Math.max(page.height, view.height)));
  const area = { x, y, width: Math.min(right - x, most), height: Math.min(bottom - y, most) };
  const cut = bottom - y - area.height;
  const shown =
    area.x >= from.scrollX &&
    area.y >= from.scrollY &&
    area.x + area.width <= from.scrollX + view.width &&
    area.y + area.height <= from.scrollY + view.height;
  if (shown) return { area, tiles: [{ ...from, part: area }], cut };
  const tiles: Tile[] = [];
  const lastX = Math.max(0, page.width - view.width);
  const lastY = Math.max(0, page.height - view.height);
  for (let top = area.y; top < area.y + area.height; top += view.height) {
    for (let left = area.x; left < area.x + area.width; left += view.width) {
      const part = {
        x: left,
        y: top,
        width: Math.min(view.width, area.x + area.width - left),
        height: Math.min(view.height, area.y + area.height - top),
      };
      tiles.push({ scrollX: Math.min(left, lastX), scrollY: Math.min(top, lastY), part });
    }
  }
  return { area, tiles, cut };
}
