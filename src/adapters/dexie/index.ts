export type { DatabaseOptions } from './database.ts';
export { TabloomDatabase } from './database.ts';
export { createDexieInspector } from './inspector.ts';
export type { DexieStoreOptions } from './store.ts';
export { createDexieStore } from './store.ts';
