import type { ErrorInfo } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';

/**
 * What the browser adapter asks of the page script. `locate` finds the element of an act that must not be done twice (named in its argument
 * `for`) and waits until it can be done; that act then happens at once or not at all, so that an answer lost to a navigation means one thing
 * only. The other acts do both in one go.
 */
export type PageOp =
  | 'snapshot'
  | 'extract'
  | 'article'
  | 'wait'
  | 'locate'
  | 'click'
  | 'fill'
  | 'select_option'
  | 'check'
  | 'hover'
  | 'scroll'
  | 'type'
  | 'press_key'
  | 'drag'
  | 'field'
  | 'go_back'
  | 'shot'
  | 'stage'
  | 'upload_file'
  | 'download'
  | 'read_link'
  | 'caught'
  | 'read_file'
  | 'frame'
  | 'sight'
  | 'probe';

export interface PageRequest {
  /** Names this request, so that it can be called off. */
  id: string;
  op: PageOp;
  args: JsonObject;
  /** How long the page may look and wait before it answers "not yet", milliseconds; 0 looks once. */
  waitMs: number;
  /** The origin that was checked; a document of another one refuses. */
  origin: string;
  /** What the document must be of at the moment of the act, as the workflow says it; its address may have changed since that was checked. */
  sites?: string[];
  /** Set on acts: the same token again gets the recorded answer instead of a second act. */
  token?: string;
}

export type PageReply =
  | {
      ok: true;
      value: Json;
      /** Which of several alternatives matched. */
      matched?: number;
      /** It has waited until a person had let the page alone. */
      yielded?: true;
    }
  /** `wait`: not yet, ask again while there is time. */
  | { ok: false; wait: boolean; error: ErrorInfo };

/** Answer to `probe`: where a frame sits. `path` holds, from the top down, what tells each frame from its siblings; null where nothing does. */
export interface FrameProbe {
  origin: string;
  url: string;
  path: (number | null)[];
}

/** Answer to `sight`: where the document is, and whether what was looked for is there and visible. */
export interface PageSight {
  url: string;
  title: string;
  seen: boolean;
}

/** What a page says of itself when a sight that was looked for has come, or should be looked at anew. A hint, and nothing to trust. */
export const SIGHT_HINT = { tabloom: 1, sight: true } as const;

/** Answer to `snapshot`: the output of the action, and what is needed to put the content of frames into it. */
export interface PageSnapshot {
  url: string;
  title: string;
  text: string;
  cursor: string | null;
  id: string;
  /** Frames that are read as far as it goes. `at` is the line of the text, from 0; null where the text has none of it, and the line is here. */
  frames: (FrameSpot & { at: number | null; line: string; depth: number })[];
}

/** Answer to `frame`: the child frame an element holds. */
export interface FrameSpot {
  /** As the last of a probe's `path`. */
  index: number | null;
  src: string;
  /** The browser's own number of the frame, where pages' scripts are told. */
  frameId?: number;
}

/** Name of the page script's only global, in the isolated world. */
export const PAGE_GLOBAL = '__tabloomPage';

/** Name of what reads articles, once it is there. */
export const ARTICLE_GLOBAL = '__tabloomArticle';

/** What the page script puts under {@link PAGE_GLOBAL}. */
export interface PageScript {
  /** Fresh for each document. */
  documentKey: string;
  call(request: PageRequest): Promise<PageReply>;
  /** Ends waiting; true unless that request has acted already. */
  cancel(id: string): boolean;
  /** The run has let the page go: nothing of ours stays drawn in it. */
  end(): void;
}
