import { BROWSER_ACTIONS, type BrowserAction } from '../../../actions/index.ts';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';
import { dataBlock } from '../../../steps/data-marks.ts';
import { CallError } from '../hub-client.ts';
import { compactSchema, TARGET_SAID } from './compact.ts';
import { type Content, READS, type Tool, type ToolContext, type ToolHints, tool } from './define.ts';
import { CALL_MOST } from './runs.ts';

/** How a call stands, as the extension tells it. */
interface CallState {
  call: string;
  tool: string;
  ended: boolean;
  status: string;
  output?: Json;
  outputAt?: string;
  excerpt?: string;
  waiting?: string;
}

/** How long the extension waits for the end of a call before it says how it stands, milliseconds: the way there takes time too. */
const WAIT_MS = 30_000;
/** A picture of so many bytes goes with its answer; a larger one is had at its address. */
const IMAGE_MOST = 1024 * 1024;

/** Arguments that the list of tools does not show, to be short; they may be given all the same. */
const HIDDEN: Record<string, readonly string[]> = { navigate: ['waitFor'], open_tab: ['active'], click: ['modifiers'] };

const INSTEAD: Record<string, JsonObject> = {
  click: { target: TARGET_SAID },
  extract: {
    fields: { type: 'object', description: 'for items: {name: {target, as, attribute, type: text|number|date}}' },
  },
  scroll: { by: { type: 'object', description: '{x, y}' } },
};

/** What each does, shorter than for people: every conversation pays for it. */
const SAYS: Record<string, string> = {
  navigate: 'Opens an address in the current tab',
  go_back: 'Goes back in the history',
  open_tab: 'Opens an address in a new tab, as the current one',
  switch_tab: 'Makes another tab the current one',
  close_tab: 'Closes a tab',
  list_tabs: 'Lists your tabs',
  snapshot:
    'Reads the page as a tree of roles, names and refs; find filters it, cursor goes on, since tells only changes',
  extract: 'Takes text, a table or items from the page; next is the target that leads to the next page',
  screenshot: 'Takes a picture',
  read_article: 'Reads the main text as Markdown',
  wait_for: 'Waits for an element, a text or an address',
  click: 'Clicks an element, once',
  fill: 'Replaces the value of a field',
  fill_form: 'Fills several fields, all or none',
  select_option: 'Chooses options of a select field',
  check: 'Checks or unchecks a box or radio button',
  hover: 'Moves the pointer onto an element',
  scroll: 'Scrolls the page or what target is in',
  type: 'Types key by key; to replace, use browser_fill',
  press_key: 'Presses a key such as Enter or Control+A',
  drag: 'Drags one element onto another',
  upload_file: 'Gives kept files (ids of screenshots or downloads) to a file field',
  download: 'Fetches a file and keeps it',
  handle_dialog: 'Sets the answer to dialogs from then on',
};

/** What the actions give, as far as it is always the same. */
const GIVES: Record<string, JsonObject> = {
  navigate: { url: { type: 'string' }, title: { type: 'string' } },
  open_tab: { tab: { type: 'string' } },
  switch_tab: { tab: { type: 'string' } },
  list_tabs: { tabs: { type: 'array' } },
  snapshot: { text: { type: 'string' }, cursor: {} },
  screenshot: { artifactId: { type: 'string' } },
  read_article: { markdown: { type: 'string' } },
  click: { url: { type: 'string' }, openedTab: {} },
  download: { artifactId: { type: 'string' } },
};

/** Outputs whose text comes from a page. */
const SAID = ['text', 'markdown', 'html', 'value'];

function hintsOf({ effect }: BrowserAction): ToolHints {
  if (effect === 'read') return { ...READS, openWorldHint: true };
  const once = effect === 'once';
  return { readOnlyHint: false, destructiveHint: once, idempotentHint: !once, openWorldHint: true };
}

function pageTool(action: BrowserAction): Tool {
  const name = `browser_${action.name}`;
  const gives = GIVES[action.name];
  return {
    name,
    description: SAYS[action.name] ?? action.summary,
    inputSchema: compactSchema(action.args, ['dialog', ...(HIDDEN[action.name] ?? [])], INSTEAD[action.name]),
    outputSchema: gives ? { type: 'object', properties: gives } : { type: 'object' },
    annotations: hintsOf(action),
    async run({ browser: _, ...args }, context) {
      const params = { tool: name, arguments: args, waitMs: WAIT_MS };
      const { value } = await context.session.ask('browser.call', params, {
        browser: context.browser,
        signal: context.signal,
        // It must not happen twice: the browser is asked what became of it.
        again: 'ask',
        withinMs: CALL_MOST,
        progress: progressOf(context),
      });
      return answerOf(value);
    },
    content: contentOf(name),
  };
}

/** One for each browser action. */
export const pageTools: readonly Tool[] = BROWSER_ACTIONS.map(pageTool);

/** Asks again for a call that went on. */
export const browserResult = tool({
  name: 'browser_result',
  description: 'The answer of a browser call that went on',
  args: z.object({ call: z.uuid(), waitMs: z.int().min(0).max(WAIT_MS).default(0) }),
  outputSchema: { type: 'object' },
  annotations: READS,
  async run({ call, waitMs }, context) {
    const { browser, signal, session } = context;
    const { value } = await session.ask(
      'browser.result',
      { call, waitMs },
      { browser, signal, withinMs: CALL_MOST, progress: progressOf(context) },
    );
    if (value === null)
      throw new CallError('call_unknown', `Look at the page: there is no call ${call} in this browser.`);
    return answerOf(value);
  },
  content: contentOf('browser_result'),
});

export const browserEnd = tool({
  name: 'browser_end',
  description: 'Ends your session; the next call begins another, with the sites granted by then',
  args: z.object({}),
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(_, { session, browser, signal }) {
    return (await session.ask('browser.end', {}, { browser, signal })).value;
  },
});

function progressOf({ progress }: ToolContext): (told: Json) => void {
  return (told) => {
    const { status, at } = told as { status?: string; at?: string };
    progress(at ? `${status}: ${at}` : String(status));
  };
}

function answerOf(value: Json): JsonObject {
  const { call, tool: name, ended, status, output, outputAt, excerpt, waiting } = value as unknown as CallState;
  if (!ended) return { call, status, ...(waiting ? { waiting } : {}), next: nextOf(name, call, waiting) };
  if (outputAt !== undefined) return { outputAt, excerpt: excerpt ?? '' };
  return isObject(output) ? output : output === null || output === undefined ? {} : { output };
}

function nextOf(name: string, call: string, waiting: string | undefined): string {
  const again = `call browser_result with call ${call} and waitMs`;
  switch (waiting) {
    case 'approval':
      return `${name} is not done yet: a person has to allow it. Tell them to decide in the browser, in Tabloom, then ${again}.`;
    case 'permission':
      return `${name} is not done yet: a person has to give Tabloom access to this site. Tell them so, then ${again}.`;
    case undefined:
      return `${name} goes on. To wait for its end, ${again}.`;
    default:
      return `${name} waits for a person (${waiting}). Tell them to look at Tabloom in the browser, then ${again}.`;
  }
}

/** What a model reads: text of pages as data, the rest as JSON; longer things at their addresses. */
function contentOf(name: string): NonNullable<Tool['content']> {
  return async (value, { session, signal, browser }) => {
    const content: Content[] = [];
    const field = SAID.find((one) => typeof value[one] === 'string');
    const rest = { ...value };
    if (field !== undefined) delete rest[field];
    if (typeof value.outputAt === 'string') {
      content.push({
        type: 'text',
        text: `${dataBlock(name, String(value.excerpt))}\nCut: the whole is at ${value.outputAt}.`,
      });
      content.push({
        type: 'resource_link',
        uri: value.outputAt,
        name: `Whole answer of ${name}`,
        mimeType: 'application/json',
      });
      return content;
    }
    if (field !== undefined) content.push({ type: 'text', text: dataBlock(name, String(value[field])) });
    if (field === undefined || Object.keys(rest).length > 0) content.push({ type: 'text', text: JSON.stringify(rest) });
    const { artifactId, mediaType, size } = value;
    if (typeof artifactId !== 'string') return content;
    const uri = `artifact://${artifactId}`;
    const mimeType = typeof mediaType === 'string' ? mediaType : 'application/octet-stream';
    if (mimeType.startsWith('image/') && typeof size === 'number' && size <= IMAGE_MOST) {
      const { value: file } = await session.ask('artifact.get', { artifactId }, { browser, signal });
      content.push({ type: 'image', data: (file as { base64: string }).base64, mimeType });
    }
    content.push({ type: 'resource_link', uri, name: String(value.name ?? artifactId), mimeType });
    return content;
  };
}
