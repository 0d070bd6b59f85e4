import type { BrowserPages } from '../adapters/browser/index.ts';
import type { Engine } from '../engine/engine.ts';
import type { StepRegistry } from '../engine/step-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecretVault, Store } from '../ports/store.ts';
import type { AttentionCaller } from './attention.ts';
import type { BridgeService } from './bridge/service.ts';
import type { ClientSessions } from './bridge/sessions.ts';
import type { BackgroundBrowser } from './browser-api.ts';
import type { Drafts } from './drafts.ts';
import type { Grants } from './grants.ts';
import type { Knowledge } from './knowledge.ts';
import type { Library } from './library.ts';
import type { McpServers } from './mcp.ts';
import type { Models } from './models.ts';
import type { PageWaits } from './page-waits.ts';
import type { Presence } from './presence.ts';
import type { RequestName, Requests } from './protocol.ts';
import type { StoreHealth } from './store-health.ts';
import type { TriggerService } from './triggers/index.ts';
import type { Updates } from './updates.ts';
import type { Writing } from './writing.ts';

/** The background at work: everything that the handlers of messages and events need. Made once, after recovery. */
export interface App {
  browser: BackgroundBrowser;
  /** Marks this life of the browser. */
  session: string;
  clock: Clock;
  store: Store;
  vault: SecretVault;
  registry: StepRegistry;
  engine: Engine;
  pages: Pick<BrowserPages, 'heard' | 'replaced' | 'settle'>;
  library: Library;
  knowledge: Knowledge;
  models: Models;
  writing: Writing;
  mcp: McpServers;
  grants: Grants;
  drafts: Drafts;
  updates: Updates;
  attention: AttentionCaller;
  storage: StoreHealth;
  triggers: TriggerService;
  pageWaits: PageWaits;
  presence: Presence;
  bridge: BridgeService;
  /** What MCP clients do in the browser. */
  clients: ClientSessions;
}

/** What answers each request; payloads have been checked. */
export type Handlers = { [K in RequestName]: (payload: Requests[K]['in']) => Promise<Requests[K]['out']> };
