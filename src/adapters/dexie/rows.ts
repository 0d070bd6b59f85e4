import type { Commit } from '../../ports/index.ts';
import { keysOf } from './run-keys.ts';

/**
 * Names of the stores that commits write; a transaction is opened over those that its commits need.
 * @param keyed those of them that change what their run is looked up by
 */
export function storesOf(commits: readonly Commit[], keyed: ReadonlySet<Commit>): string[] {
  const names = new Set(['events', 'runs']);
  if (keyed.size > 0) names.add('runKeys');
  for (const {
    steps,
    dropSteps,
    approvals,
    artifacts,
    blobs,
    cache,
    inbox,
    rules,
    ruleUses,
    outbox,
    knowledge,
    spending,
  } of commits) {
    if (steps.length > 0 || dropSteps?.length) names.add('stepRuns');
    if (approvals.length > 0) names.add('approvals');
    if (artifacts.length > 0) names.add('artifacts').add('files');
    if (blobs.length > 0) names.add('blobs').add('blobUses');
    if (cache?.length) names.add('cache');
    if (inbox.length > 0) names.add('inbox');
    if (outbox?.length) names.add('outbox');
    if (knowledge?.length) names.add('knowledge');
    if (spending?.length) names.add('spending');
    if (rules?.length) names.add('rules');
    if (ruleUses?.length) names.add('ruleUses');
  }
  return [...names];
}

/**
 * Asks for every write of a commit. Events are added, not put, so a taken `seq` fails the transaction.
 * @param keyed whether what the run is looked up by changes
 * @param watch is given each request, and the `seq` where it adds an event.
 */
export function writeCommit(
  transaction: IDBTransaction,
  commit: Commit,
  keyed: boolean,
  watch: (request: IDBRequest, seq?: number) => void,
): void {
  const { runId } = commit;
  const put = (store: string, row: unknown): void => watch(transaction.objectStore(store).put(row));
  for (const event of commit.events) watch(transaction.objectStore('events').add(event), event.seq);
  put('runs', commit.run);
  if (keyed) put('runKeys', keysOf(commit.run));
  for (const path of commit.dropSteps ?? []) watch(transaction.objectStore('stepRuns').delete([runId, path]));
  for (const step of commit.steps) put('stepRuns', step);
  for (const approval of commit.approvals) put('approvals', approval);
  for (const { row, bytes } of commit.artifacts) {
    put('artifacts', row);
    // A Blob stays on disk until it is read, however often its row is looked at.
    put('files', { sha256: row.sha256, bytes: new Blob([bytes as Uint8Array<ArrayBuffer>], { type: row.mediaType }) });
  }
  for (const { hash, text } of commit.blobs) {
    put('blobs', { hash, text });
    put('blobUses', { runId, hash });
  }
  for (const row of commit.cache ?? []) put('cache', row);
  for (const write of commit.knowledge ?? []) watch(transaction.objectStore('knowledge').add(write));
  // Without `queued`: consumed.
  for (const command of commit.inbox) put('inbox', command);
  for (const row of commit.outbox ?? []) put('outbox', row);
  for (const row of commit.spending ?? []) put('spending', row);
  for (const rule of commit.rules ?? []) put('rules', rule);
  for (const use of commit.ruleUses ?? []) put('ruleUses', use);
}
