export { isStoreConflict, StoreConflictError } from './conflict.ts';
export { seededRandom } from './random.ts';
export type { MemoryStore } from './store.ts';
export { createMemoryStore } from './store.ts';
export type { VirtualClock } from './virtual-clock.ts';
export { createVirtualClock } from './virtual-clock.ts';
