export { createMemorySecretVault } from './memory.ts';
export { createSecretVault } from './vault.ts';
