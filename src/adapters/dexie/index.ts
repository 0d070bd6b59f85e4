export type { DatabaseOptions } from './database.ts';
export { TabloomDatabase } from './database.ts';
export type { DexieStoreOptions } from './store.ts';
export { createDexieStore } from './store.ts';
