import type { DexieOptions, Table } from 'dexie';
import { Dexie } from 'dexie';
import type { InboxCommand } from '../../model/commands.ts';
import type { JournalEvent } from '../../model/events.ts';
import type { JsonObject } from '../../model/json.ts';
import type { KnowledgeIndexRow, KnowledgePassage, KnowledgeRow, KnowledgeWrite } from '../../model/knowledge.ts';
import type { EntryRevision, EntryRow } from '../../model/library.ts';
import type { OutboxRow } from '../../model/outbox.ts';
import type { RuleUse, StandingRule } from '../../model/rules.ts';
import type { ApprovalRow, ArtifactRow, CacheRow, RunRow, StepRunRow } from '../../model/run.ts';
import type { SpendingRow } from '../../model/spending.ts';
import type { Revision } from '../../model/workflow.ts';
import type { WorkflowRow } from '../../ports/index.ts';
import { DatabaseGoneError, DatabaseNewerError } from './errors.ts';
import type { RunKeys } from './run-keys.ts';
import type { SchemaVersion } from './schema.ts';
import { declareVersions, newestVersion, SCHEMA } from './schema.ts';

/** A command as stored: `queued` is its place in line, gone once it is consumed. */
export type StoredCommand = InboxCommand & { queued?: number };

export interface DatabaseOptions {
  /** Name of the IndexedDB database. */
  name?: string;
  /** What to use instead of the global IndexedDB; both or neither. */
  indexedDB?: IDBFactory;
  IDBKeyRange?: typeof IDBKeyRange;
  /** Schema versions instead of the shipped ones; for tests of the migration. */
  versions?: readonly SchemaVersion[];
}

/**
 * The one database of the extension: the engine's rows, settings and sealed secrets. Opens by itself at the first use and brings an older
 * database up to date. When another page brings a newer version, or deletes it, this connection closes for good, so that code of the old
 * version never writes into the new one.
 */
export class TabloomDatabase extends Dexie {
  declare readonly workflows: Table<WorkflowRow, string>;
  declare readonly revisions: Table<Revision, string>;
  declare readonly runs: Table<RunRow, string>;
  declare readonly runKeys: Table<RunKeys, string>;
  declare readonly stepRuns: Table<StepRunRow, [string, string]>;
  declare readonly events: Table<JournalEvent, [string, number]>;
  declare readonly approvals: Table<ApprovalRow, string>;
  declare readonly inbox: Table<StoredCommand, string>;
  declare readonly artifacts: Table<ArtifactRow, string>;
  declare readonly files: Table<{ sha256: string; bytes: Blob }, string>;
  declare readonly blobs: Table<{ hash: string; text: string }, string>;
  declare readonly blobUses: Table<{ runId: string; hash: string }, [string, string]>;
  declare readonly cache: Table<CacheRow, string>;
  declare readonly rules: Table<StandingRule, string>;
  declare readonly ruleUses: Table<RuleUse, [string, number, string, string]>;
  declare readonly outbox: Table<OutboxRow, string>;
  declare readonly outboxSent: Table<{ outboxId: string; at: number }, string>;
  declare readonly knowledge: Table<KnowledgeRow, number, KnowledgeWrite>;
  declare readonly knowledgeIndex: Table<KnowledgeIndexRow, string>;
  declare readonly passages: Table<KnowledgePassage, [string, number]>;
  declare readonly knowledgeSeen: Table<{ format: number; seen: number }, number>;
  declare readonly entries: Table<EntryRow, [string, string]>;
  declare readonly entryRevisions: Table<EntryRevision, string>;
  declare readonly spending: Table<SpendingRow, [string, string]>;
  declare readonly settings: Table<{ key: string; value: JsonObject }, string>;
  declare readonly secrets: Table<{ name: string; iv: Uint8Array; sealed: ArrayBuffer }, string>;
  declare readonly keys: Table<{ id: string; key: CryptoKey }, string>;
  #gone: DatabaseGoneError | undefined;

  constructor(options: DatabaseOptions = {}) {
    super(options.name ?? 'tabloom', dexieOptions(options));
    const versions = options.versions ?? SCHEMA;
    declareVersions(this, versions);
    this.on('versionchange', () => {
      this.#gone = new DatabaseGoneError();
      this.close();
      // Ours instead of Dexie's own handler, which would open it again.
      return false;
    });
    // Dexie opens a database of a newer version as it is; old code must not touch that.
    this.on('ready', () => this.#refuseNewer(newestVersion(versions)), true);
  }

  /**
   * The open connection, for work that goes round Dexie.
   * @throws DatabaseGoneError after it was closed, by us or by another page's update.
   */
  async backend(): Promise<IDBDatabase> {
    if (this.#gone) throw this.#gone;
    if (!this.isOpen()) await this.open();
    return this.backendDB();
  }

  /** Opens the connection again after the browser has cut it (site data cleared, disk trouble). */
  async reconnect(): Promise<IDBDatabase> {
    if (this.#gone) throw this.#gone;
    this.close({ disableAutoOpen: false });
    return this.backend();
  }

  /** Why it is closed for good, if it is. */
  get gone(): DatabaseGoneError | undefined {
    return this.#gone;
  }

  /** Closes the connection for good. */
  shut(): void {
    this.#gone ??= new DatabaseGoneError('The database was closed; open the store again before using it.');
    this.close();
  }

  #refuseNewer(known: number): void {
    // Dexie multiplies versions by ten.
    if (Math.floor(this.backendDB().version / 10) > known) throw new DatabaseNewerError();
  }
}

function dexieOptions({ indexedDB, IDBKeyRange }: DatabaseOptions): DexieOptions {
  return {
    ...(indexedDB && { indexedDB }),
    ...(IDBKeyRange && { IDBKeyRange }),
    // What a person did (a decision, a saved workflow, a secret) is on disk before it counts; the engine's commits choose for themselves.
    chromeTransactionDurability: 'strict',
    // Commits go round Dexie, whose cache would not see them.
    cache: 'disabled',
  };
}
