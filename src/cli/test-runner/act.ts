import { placeOf } from '../../engine/children/tree.ts';
import { checkEntry } from '../../engine/entries/file.ts';
import { checkDefinition, checkInput, hasErrors } from '../../engine/preflight/index.ts';
import type { Command, CommandResult } from '../../model/commands.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { EntryDefinition } from '../../model/library.ts';
import type { Revision, WorkflowDefinition } from '../../model/workflow.ts';
import { registry } from '../../steps/index.ts';
import type { Session } from './session.ts';

const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Does what a script's `do` says (SPEC §10).
 * @returns the refusal's code where it was refused, `undefined` where it was taken
 * @throws Error for something that is no action of this version
 */
export async function act(
  session: Session,
  what: JsonObject,
  revision: Revision,
  input: JsonObject,
  roles: string[],
): Promise<string | undefined> {
  if (what.crash !== undefined) {
    await session.crash();
    return undefined;
  }
  if (what.emergencyStop !== undefined || what.liftStop !== undefined) {
    await session.engine.emergencyStop(what.emergencyStop !== undefined);
    await session.settle();
    return undefined;
  }
  if (isObject(what.saveWorkflow)) {
    const definition = what.saveWorkflow;
    const good = !hasErrors(checkDefinition(definition, registry, session.entries));
    await session.save(definition as unknown as WorkflowDefinition, good);
    return undefined;
  }
  if (isObject(what.saveEntry)) {
    if (hasErrors(checkEntry(what.saveEntry, registry))) return 'preflight_failed';
    await session.saveEntry(what.saveEntry as unknown as EntryDefinition);
    return undefined;
  }
  if (isObject(what.start)) {
    const again = isObject(what.start.input) ? what.start.input : input;
    const key = text(what.start.key);
    // A key that is known stands for its run, of whatever revision that is.
    const known = key === undefined ? undefined : await session.store.runByStartKey(revision.workflowId, key);
    const newest = known ? await session.store.revision(known.revision) : await session.newest(revision);
    if (!newest) return 'preflight_failed';
    const [unfit] = known ? [] : checkInput(newest.definition, again);
    return unfit?.code ?? codeOf(await session.start(newest, again, key));
  }
  if (isObject(what.rerun)) {
    const { from, revision: which } = what.rerun;
    const revision = revisionOf(which);
    const command = { type: 'rerun' as const, runId: session.runId, from: text(from) ?? '', revision };
    const result = await session.send(command, roles);
    const data = result.ok && isObject(result.data) ? result.data : {};
    if (typeof data.runId === 'string') session.runId = data.runId;
    return codeOf(result);
  }
  const by = text(what.as) === undefined ? roles : [text(what.as) as string];
  return codeOf(await session.send(await commandOf(session, what), by));
}

/** Which revision a retry or a rerun is of (SPEC §6, *Control*). @throws Error for another word */
function revisionOf(word: Json | undefined): 'same' | 'newest' {
  if (word === 'same' || word === 'newest') return word;
  if (word !== undefined) throw new Error(`revision is same or newest, not ${JSON.stringify(word)}`);
  return 'same';
}

function codeOf(result: CommandResult): string | undefined {
  return result.ok ? undefined : result.code;
}

async function commandOf(session: Session, what: JsonObject): Promise<Command> {
  const { runId } = session;
  const decided = text(what.approve) ?? text(what.reject) ?? text(what.edit);
  if (decided !== undefined) {
    const place = await placeOf(session.store, runId, decided);
    const approvals = await session.store.approvals({ runId: place.runId });
    const rows = approvals.filter((row) => row.path === place.path);
    const current = rows.find((row) => row.status === 'pending') ?? rows.at(-1);
    const hash = text(what.hash) ?? current?.hash ?? '';
    const edits = isObject(what.edits) ? what.edits : {};
    if (what.edit !== undefined) return { type: 'edit', runId, path: decided, hash, edits };
    const decision = what.approve === undefined ? 'rejected' : 'approved';
    return { type: 'decide', runId, path: decided, hash, decision, comment: text(what.comment), edits };
  }
  if (isObject(what.retry)) return { type: 'retry', runId, revision: revisionOf(what.retry.revision) };
  for (const type of ['pause', 'resume', 'cancel', 'retry'] as const)
    if (what[type] !== undefined) return { type, runId };
  if (what.wake !== undefined) return { type: 'wake', runId, path: text(what.wake) ?? '' };
  if (isObject(what.signal))
    return { type: 'signal', runId, name: text(what.signal.name) ?? '', payload: what.signal.payload };
  if (isObject(what.recover)) {
    const { step, decision, output } = what.recover;
    return { type: 'recover', runId, path: text(step) ?? '', decision: decision as 'retry' | 'done' | 'fail', output };
  }
  if (isObject(what.review)) {
    const { step, decision, comment, content, hash } = what.review;
    const path = text(step) ?? '';
    const shown = text(hash) ?? (await session.step(path))?.wait?.subject ?? '';
    const word = decision as 'accept' | 'edit' | 'request_changes' | 'reject';
    return { type: 'review', runId, path, hash: shown, decision: word, comment: text(comment), content };
  }
  if (isObject(what.completeTask)) {
    const { step, data } = what.completeTask;
    return { type: 'completeTask', runId, path: text(step) ?? '', data: isObject(data) ? data : {} };
  }
  if (isObject(what.raiseBudget)) return { type: 'raiseBudget', runId, ...what.raiseBudget };
  throw new Error(`this version has no action ${Object.keys(what).join(', ')}`);
}
