/** What a look at the database found. Numbers only: no name and no value of what is stored. */
export interface DatabaseLook {
  /** Schema version that is open, and the newest one that this build knows. */
  schema: number;
  newest: number;
  counts: { runs: number; events: number; artifacts: number; workflows: number; secrets: number };
  /** Stored secrets and model keys that this profile can no longer open. */
  unreadableSecrets: number;
  /** Bytes that the browser counts for this extension, and the most it allows; absent where it does not say. */
  usage?: number;
  quota?: number;
  /** Whether the browser has promised not to throw the data away when space gets short. */
  persisted?: boolean;
}

/** Looks at the database from outside the engine. Rejects with a `TabloomError` that says what to do when it cannot be opened or used. */
export interface DatabaseInspector {
  look(): Promise<DatabaseLook>;
  /** Writes a row of its own, reads it back and removes it. @throws TabloomError when one of these fails */
  probe(): Promise<void>;
}
