import { BROWSER_ACTIONS } from '../actions/index.ts';
import type { CallDefinition, ContainerMove, ListOutcome, StepType } from '../engine/step-type.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { StepDefinition, WorkflowDefinition } from '../model/workflow.ts';
import { callOf, fieldsOf } from './agent-tools.ts';

/** Of the one step of a session, and of the workflow around it: no file can have a workflow of that id. */
export const CLIENT_SESSION = 'client_session';
/** Id of the session's step, which its calls are below: `session[n]/browser_click`. */
export const SESSION_STEP = 'session';
/** The signal that brings the session its next call: `{key, tool, arguments}`, or `{end: true}`. */
export const SESSION_SIGNAL = 'call';
/** The wait for it, in paths. */
const NEXT = 'next';
/** A session that is not used for so long ends by itself. */
const IDLE = '30m';
/** What one call may take. */
const CALL_TIMEOUT = '2m';

/** Names of the tools of a session, in the order of the actions. */
export const SESSION_TOOLS: readonly string[] = BROWSER_ACTIONS.map(({ name }) => `browser_${name}`);
const ONCE = new Set(BROWSER_ACTIONS.flatMap(({ name, effect }) => (effect === 'once' ? [`browser_${name}`] : [])));

/** One call, as a client has asked for it. */
export interface SessionCall {
  key: string;
  tool: string;
  arguments: JsonObject;
}

/**
 * What an MCP client does in the browser, call by call: it waits for the next one, carries it out as a step run of its own, and waits
 * again, until nothing comes any more. Not a step type of files.
 */
export const clientSession: StepType = {
  type: CLIENT_SESSION,
  title: 'MCP client',
  summary: 'Carries out what an MCP client asks of the browser, one call after another.',
  keys: {},
  effect: () => 'none',
  works: true,
  templated: [],
  calls,
  container: {
    newestOnly: true,
    // A call that fails, or that a person turns down, is told to the client, which may ask for something else.
    tolerates: () => true,
    next: ({ opened, settled, outcomes }) => (opened > settled ? {} : after(outcomes[opened - 1], opened)),
  },
};

function after(last: ListOutcome | undefined, index: number): ContainerMove {
  const told = last?.name === NEXT && isObject(last.output) ? last.output : undefined;
  // Its time was up.
  if (told?.error !== undefined) return { done: { output: null } };
  const payload = told && isObject(told.output) ? told.output.payload : undefined;
  if (isObject(payload) && payload.end === true) return { done: { output: null } };
  const call = payload === undefined ? undefined : readCall(payload);
  if (call) return { start: [{ name: call.def.id, index, input: call.fields }] };
  return { start: [{ name: NEXT, index, input: { signal: SESSION_SIGNAL, timeout: IDLE } }] };
}

/** `undefined` for what no page could take: it was refused to the client before it got here. */
function readCall(payload: Json): { def: StepDefinition; fields: JsonObject } | undefined {
  if (!isObject(payload) || typeof payload.tool !== 'string') return undefined;
  const def = SESSION_TOOLS.includes(payload.tool) ? callOf(payload.tool) : undefined;
  try {
    return def && { def, fields: fieldsOf(def, payload.arguments ?? {}) };
  } catch {
    return undefined;
  }
}

function calls(): CallDefinition[] {
  return [
    { call: 'tool', def: { id: NEXT, type: 'wait', name: NEXT, signal: SESSION_SIGNAL } },
    ...SESSION_TOOLS.flatMap((name): CallDefinition[] => {
      const def = callOf(name);
      // The client is told that it is not known whether something was done: it can look, and must not wait for a person until then.
      return def ? [{ call: 'tool', def: { ...def, name, ...(ONCE.has(name) && { onInterrupted: 'fail' }) } }] : [];
    }),
  ];
}

/** Where the call is that a wait of the session was ended with. */
export function callAfter(waitPath: string, tool: string): string | undefined {
  const [, index] = /^session\[(\d+)\]\/next$/.exec(waitPath) ?? [];
  return index === undefined ? undefined : `${SESSION_STEP}[${Number(index) + 1}]/${tool}`;
}

/**
 * The workflow of a session, as its run needs it: nothing outside of `sites`, and whatever must not be done twice only once a person has
 * said yes to that very call.
 * @param client the name that the client gives itself
 */
export function sessionWorkflow(client: string, sites: readonly string[]): WorkflowDefinition {
  return {
    format: 'tabloom/v1',
    id: CLIENT_SESSION,
    name: client,
    sites: [...sites],
    // The longest there is: of the time of its calls, not of that between them.
    timeout: '24h',
    // A page that shows somebody's key is still to be read.
    secretPolicy: 'redact',
    steps: [{ id: SESSION_STEP, type: CLIENT_SESSION, name: client, approve: [...ONCE], timeout: CALL_TIMEOUT }],
  };
}
