import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import type { Store } from '../../src/ports/store.ts';

/** Calls that change something. */
const WRITES = ['commit', 'saveWorkflow', 'appendCommand', 'answerCommand', 'setSetting'] as const;

/**
 * The memory store with a log on disk: each change is appended to the file before it is made (and not forced to the disk, as a WAL without
 * fsync), and a store that is opened on the file makes them all again. For benchmarks over two processes; artifacts are not kept.
 */
export async function openLogStore(file: string): Promise<Store> {
  const store = createMemoryStore();
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line === '') continue;
      const { call, args } = JSON.parse(line) as { call: (typeof WRITES)[number]; args: never[] };
      await (store[call] as (...args: never[]) => Promise<unknown>)(...args);
    }
  }
  const log = openSync(file, 'a');
  const logged: Partial<Record<string, unknown>> = {};
  for (const call of WRITES) {
    const work = store[call] as (...args: unknown[]) => Promise<unknown>;
    logged[call] = (...args: unknown[]) => {
      writeSync(log, `${JSON.stringify({ call, args })}\n`);
      return work(...args);
    };
  }
  const close = async (): Promise<void> => {
    await store.close();
    closeSync(log);
  };
  return { ...store, ...logged, close } as Store;
}
