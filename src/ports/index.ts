export type * from './clock.ts';
export type * from './inspector.ts';
export type * from './knowledge.ts';
export type * from './mcp.ts';
export type * from './model.ts';
export type * from './pages.ts';
export type * from './store.ts';
