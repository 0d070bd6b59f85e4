import { type LinkCall, TAKEN_BACK } from '../../adapters/link/connect.ts';
import type { Engine } from '../../engine/engine.ts';
import { secretError } from '../../engine/secrets/index.ts';
import { Turns } from '../../engine/turns.ts';
import { parsePattern } from '../../engine/values/sites.ts';
import { hashJson } from '../../model/canonical.ts';
import type { InboxCommand } from '../../model/commands.ts';
import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { FINAL_RUN, type RunRow, type RunTabs } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Commit, Store } from '../../ports/store.ts';
import { callOf, fieldsOf } from '../../steps/agent-tools.ts';
import {
  CLIENT_SESSION,
  callAfter,
  SESSION_SIGNAL,
  SESSION_TOOLS,
  type SessionCall,
  sessionWorkflow,
} from '../../steps/client-session.ts';
import type { Grants } from '../grants.ts';
import { type Changes, nextChange } from './next-change.ts';
import { type CallState, callState } from './session-call.ts';

export interface SessionParts {
  store: Store;
  engine: Pick<Engine, 'start' | 'send'>;
  clock: Clock;
  grants: Pick<Grants, 'list'>;
}

/**
 * What MCP clients do in the browser. Each client has a run of its own, which carries its calls out one after another: what was done, and
 * what came of it, is in its journal. A call is known by its key: however often it is asked for, it is one step of that run.
 */
export class ClientSessions {
  readonly #parts: SessionParts;
  readonly #turns = new Turns();
  /** The run of each client, as last seen. */
  readonly #runs = new Map<string, string>();
  readonly #tabs = new Map<string, string[]>();
  readonly #listeners = new Set<(change: { runId?: string }) => void>();
  readonly #changes: Changes = {
    listen: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * Carries out a call, or finds the one that was begun under its key before.
   * @param waitMs how long to wait for its end; what then goes on is told as such
   * @throws TabloomError as the call fails; `outcome_unknown` for an act that may or may not have been done; `session_busy` when one
   *   before it took all the time, and nothing was done; `cancelled`
   */
  async call(call: LinkCall, tool: string, args: JsonObject, waitMs: number): Promise<CallState> {
    const until = this.#parts.clock.now() + waitMs;
    const begun = await this.#command(call.key);
    if (begun) return this.#answer(call, begun, until);
    if (!SESSION_TOOLS.includes(tool))
      throw new TabloomError('tool_unknown', `There is no tool ${tool}: see the list of tools.`);
    // Refused here, so that nothing of it is kept.
    const def = callOf(tool);
    if (def) fieldsOf(def, args);
    const secret = secretError(`The call of ${tool}`, args);
    if (secret)
      throw new TabloomError(
        'secret_detected',
        'Leave that field to the person: the call holds what looks like a secret.',
      );
    const asked = { key: call.key, tool, arguments: args };
    const command = await this.#turns.after(call.caller.session, () => this.#begin(call, asked, until));
    return this.#answer(call, command, until);
  }

  /** What became of the call with a key. `undefined`: it has never arrived. @throws as `call` */
  async outcome(call: LinkCall, key: string, waitMs: number): Promise<CallState | undefined> {
    const until = this.#parts.clock.now() + waitMs;
    const begun = await this.#command(key);
    return begun && this.#answer(call, begun, until);
  }

  /** After each commit of the engine. */
  committed({ runId, run: { workflowId, status, tabs } }: Pick<Commit, 'runId' | 'run'>): void {
    if (workflowId === CLIENT_SESSION) {
      if (FINAL_RUN.includes(status)) this.#tabs.delete(runId);
      else if (tabs) this.#tabs.set(runId, openTabs(tabs));
    }
    for (const listener of [...this.#listeners]) listener({ runId });
  }

  /** Open tabs of a session, by the run's own ids; none for any other run. */
  tabsOf(runId: string): readonly string[] {
    return this.#tabs.get(runId) ?? [];
  }

  /** The run of a client's session that has not ended. */
  async current(session: string): Promise<RunRow | undefined> {
    const { store } = this.#parts;
    const known = this.#runs.get(session);
    const row = known === undefined ? undefined : await store.run(known);
    if (row && !FINAL_RUN.includes(row.status)) return row;
    for (let n = 1; ; n++) {
      const found = await store.runByStartKey(CLIENT_SESSION, keyOf(session, n));
      if (!found) return undefined;
      if (FINAL_RUN.includes(found.status)) continue;
      this.#runs.set(session, found.runId);
      return found;
    }
  }

  /** Ends a client's session: what it has begun is done to its end, what still waits for a person is taken back. */
  async end(session: string): Promise<boolean> {
    const { engine, clock } = this.#parts;
    const run = await this.current(session);
    if (!run) return false;
    const at = clock.now();
    const by = `client:${run.workflowName}`;
    const command = { type: 'signal' as const, runId: run.runId, name: SESSION_SIGNAL, payload: { end: true } };
    await engine.send({ commandId: `mcp:end:${run.runId}`, at, by, roles: [], surface: 'mcp', command });
    await this.#takeBack(run.runId, undefined, by);
    return true;
  }

  async #begin(call: LinkCall, asked: SessionCall, until: number): Promise<InboxCommand> {
    const { engine, clock } = this.#parts;
    const { runId } = await this.#free(call, until);
    const payload = asked as unknown as JsonObject;
    const command = { type: 'signal' as const, runId, name: SESSION_SIGNAL, payload };
    const by = `client:${call.caller.name}`;
    const inbox = { commandId: idOf(asked.key), at: clock.now(), by, roles: [], surface: 'mcp', command };
    return { ...inbox, result: await engine.send(inbox) };
  }

  /** The client's run, once it waits for a call. */
  async #free(call: LinkCall, until: number): Promise<RunRow> {
    const { clock, store } = this.#parts;
    for (;;) {
      if (call.signal.aborted) throw new TabloomError('cancelled', 'The client took the call back; nothing was done.');
      const runId = (await this.current(call.caller.session))?.runId ?? (await this.#start(call));
      const change = this.#nextChange(runId, until, call.signal);
      const run = await store.run(runId);
      if (run?.status === 'paused') {
        change.stop();
        throw new TabloomError('session_paused', 'Ask the person to resume this session in Tabloom: it is paused.');
      }
      if (run?.status === 'waiting' && run.waitingFor.includes('signal')) {
        change.stop();
        return run;
      }
      if (clock.now() >= until) {
        change.stop();
        const kind = run?.waitingFor[0];
        const why = kind === undefined ? 'is still at work' : `waits for a person (${kind})`;
        throw new TabloomError(
          'session_busy',
          `Ask for the call before this one first, with browser_result: it ${why}. Nothing of this call was done.`,
        );
      }
      await change.happened;
    }
  }

  async #start({ caller }: LinkCall): Promise<string> {
    const { store, engine, clock, grants } = this.#parts;
    const sites = (await grants.list()).filter(readable);
    if (sites.length === 0)
      throw new TabloomError(
        'permission_denied',
        'Ask the person to give Tabloom access to the site in the browser: there is none that it may touch yet.',
      );
    const definition = sessionWorkflow(caller.name, sites);
    const revision = {
      workflowId: CLIENT_SESSION,
      revision: hashJson(definition as unknown as Json),
      definition,
      createdAt: clock.now(),
    };
    await store.saveRevision(revision);
    for (let n = 1; ; n++) {
      const key = keyOf(caller.session, n);
      const before = await store.runByStartKey(CLIENT_SESSION, key);
      if (before && FINAL_RUN.includes(before.status)) continue;
      const trigger = { type: 'mcp', client: caller.name };
      const begun = await engine.start({ revision, input: {}, trigger, key });
      if (!begun.ok) throw new TabloomError(begun.code, begun.message);
      this.#runs.set(caller.session, begun.runId);
      return begun.runId;
    }
  }

  /** Waits for the end of a call that was begun, and says how it stands. */
  async #answer(call: LinkCall, { command, commandId, result, by }: InboxCommand, until: number): Promise<CallState> {
    const { store, engine, clock } = this.#parts;
    if (command.type !== 'signal') throw new TabloomError('bad_request', 'Give the key of a call.');
    const done = result ?? (await engine.send({ commandId, at: clock.now(), by, roles: [], surface: 'mcp', command }));
    if (!done.ok && done.code === 'run_finished')
      throw new TabloomError('session_ended', 'Ask again: the session ended before this call was begun.');
    if (!done.ok) throw new TabloomError(done.code, done.message);
    const asked = command.payload as unknown as SessionCall;
    const { runId } = command;
    let path: string | undefined;
    for (;;) {
      const change = this.#nextChange(runId, until, call.signal);
      path ??= await this.#pathOf(runId, done.data, asked);
      const state = await callState(store, runId, path, asked);
      const over = state.ended || clock.now() >= until || call.signal.aborted;
      if (over) change.stop();
      if (call.signal.aborted && call.signal.reason === TAKEN_BACK && !state.ended) {
        await this.#takeBack(runId, path, `client:${call.caller.name}`);
        throw new TabloomError('cancelled', 'The client took the call back.');
      }
      if (over) return state;
      call.progress({ status: state.status, at: asked.tool });
      await change.happened;
    }
  }

  /** Path of the step that carries a call out; `undefined` where the session has not come to it yet. */
  async #pathOf(runId: string, data: Json | undefined, asked: SessionCall): Promise<string | undefined> {
    const ended = (data as { path?: string } | undefined)?.path;
    if (ended !== undefined) return callAfter(ended, asked.tool);
    const { store } = this.#parts;
    for (const { path, output, outputRef } of await store.steps(runId)) {
      const next = callAfter(path, asked.tool);
      if (next === undefined) continue;
      const kept = outputRef ? await store.blob(outputRef.hash) : undefined;
      const woken = (kept === undefined ? output : JSON.parse(kept)) as { payload?: { key?: string } } | undefined;
      if (woken?.payload?.key === asked.key) return next;
    }
    return undefined;
  }

  #nextChange(runId: string, until: number, signal: AbortSignal): ReturnType<typeof nextChange> {
    const { clock } = this.#parts;
    return nextChange({ clock, changes: this.#changes }, runId, Math.max(until - clock.now(), 0), signal);
  }

  /** The client itself turns down what it has asked a person for. */
  async #takeBack(runId: string, path: string | undefined, by: string): Promise<void> {
    const { store, engine, clock } = this.#parts;
    for (const approval of await store.approvals({ runId, status: 'pending' })) {
      if (path !== undefined && approval.path !== path) continue;
      const { hash, requiredRole, approvalId } = approval;
      const comment = 'The client took the call back.';
      const command = {
        type: 'decide' as const,
        runId,
        path: approval.path,
        hash,
        decision: 'rejected' as const,
        comment,
      };
      const commandId = `mcp:back:${approvalId}`;
      await engine.send({ commandId, at: clock.now(), by, roles: [requiredRole], surface: 'mcp', command });
    }
  }

  #command(key: string): Promise<InboxCommand | undefined> {
    return this.#parts.store.command(idOf(key));
  }
}

function idOf(key: string): string {
  return `mcp:${key}`;
}

function keyOf(session: string, n: number): string {
  return `mcp:${session}:${n}`;
}

function openTabs({ list }: RunTabs): string[] {
  return list.filter(({ closed }) => closed === undefined).map(({ tab }) => tab);
}

function readable(pattern: string): boolean {
  try {
    parsePattern(pattern);
    return true;
  } catch {
    return false;
  }
}
