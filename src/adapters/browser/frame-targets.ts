import type { TargetDefinition } from '../../actions/describe.ts';
import type { FrameProbe, FrameSpot } from '../../actions/protocol.ts';
import { originOf } from '../../engine/values/sites.ts';
import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/** Alternatives of a target that are looked for in one frame. */
export interface TargetGroup {
  /** The browser's number of the frame that a ref of a snapshot names; the page itself without. */
  frameId?: number;
  /** Frames from the outermost in; empty for the page itself. */
  frames: TargetDefinition[];
  targets: TargetDefinition[];
  /** Index of the first one in the list that was written. */
  first: number;
}

/** Sorts a target's alternatives by frame, in their order. No target is one group for the page. */
export function groupByFrame(target: Json | undefined): TargetGroup[] {
  if (target === undefined) return [{ frames: [], targets: [], first: 0 }];
  const groups: TargetGroup[] = [];
  const list = (Array.isArray(target) ? target : [target]).filter(isObject);
  for (const [index, one] of list.entries()) {
    const { frame, ...rest } = one;
    const [outer, ...inner] = isObject(frame) ? chain(frame) : [];
    // A ref says its frame: that of the element, of what it is within, or of the outermost frame element.
    const start = withoutFrame((outer ?? rest) as JsonObject);
    const frames = outer ? [start.target, ...inner] : [];
    const target = outer ? (rest as TargetDefinition) : start.target;
    const last = groups.at(-1);
    const where = JSON.stringify([start.frameId, frames]);
    if (last && JSON.stringify([last.frameId, last.frames]) === where) last.targets.push(target);
    else {
      const group: TargetGroup = { frames, targets: [target], first: index };
      groups.push(start.frameId === undefined ? group : { frameId: start.frameId, ...group });
    }
  }
  return groups;
}

/** What a snapshot puts before refs and cursors of a document in a frame. */
export function framePrefix(frameId: number): string {
  return `f${frameId}`;
}

/** A target as its frame knows it, and the number of that frame where a ref in it says so. */
function withoutFrame(target: JsonObject): { target: TargetDefinition; frameId?: number } {
  const within = isObject(target.within) ? withoutFrame(target.within) : undefined;
  const plain = within ? { ...target, within: within.target as JsonObject } : target;
  const [, frame, ref] = /^f(\d+)(e\d+)$/.exec(typeof target.ref === 'string' ? target.ref : '') ?? [];
  const own = frame === undefined ? undefined : Number(frame);
  const frameId = own ?? within?.frameId;
  const known = ref === undefined ? plain : { ...plain, ref };
  return frameId === undefined ? { target: known as TargetDefinition } : { target: known as TargetDefinition, frameId };
}

function chain(frame: JsonObject): TargetDefinition[] {
  const { frame: outer, ...own } = frame;
  return [...(isObject(outer) ? chain(outer) : []), own as TargetDefinition];
}

type Probed = { frameId: number; probe: FrameProbe };

/**
 * Which of a tab's frames an element holds, by where it sits.
 * @throws TabloomError `permission_denied` when it is of an origin that is not granted, `element_not_found` when it is not there yet.
 */
export function matchFrame(all: Probed[], parent: FrameProbe, spot: FrameSpot): Probed {
  const inParent = all.filter(({ probe }) => {
    const { path } = probe;
    return path.length === parent.path.length + 1 && parent.path.every((step, i) => step === path[i]);
  });
  const numbered = spot.frameId === undefined ? undefined : all.find(({ frameId }) => frameId === spot.frameId);
  if (numbered) return numbered;
  const fits = inParent.filter(({ probe }) => probe.path.at(-1) === spot.index);
  // Frames in shadow trees have no index: told apart by their address.
  const same = fits.length > 1 ? fits.filter(({ probe }) => probe.url === spot.src) : fits;
  const [found] = same;
  if (found && same.length === 1) return found;
  const origin = originOf(spot.src);
  if (found === undefined && origin !== undefined && origin !== parent.origin) {
    throw new TabloomError(
      'permission_denied',
      `Allow Tabloom to work on ${origin}, which is in a frame of this page.`,
      { details: { origin } },
    );
  }
  throw new TabloomError(
    found ? 'target_ambiguous' : 'element_not_found',
    'Wait for the frame, or name another one: it cannot be told which one is meant.',
  );
}

/** The address a frame is checked by: its own, or where it has none (`about:srcdoc`) that of the origin it belongs to. */
export function frameAddress(probe: FrameProbe): string {
  if (originOf(probe.url) !== undefined) return probe.url;
  return originOf(probe.origin) === undefined ? probe.url : `${probe.origin}/`;
}
