import type { App, Handlers } from '../app.ts';
import { artifactHandlers } from './artifacts.ts';
import { bridgeHandlers } from './bridge.ts';
import { consentHandlers } from './consent.ts';
import { draftHandlers } from './drafts.ts';
import { entryHandlers } from './entries.ts';
import { grantHandlers } from './grants.ts';
import { knowledgeHandlers } from './knowledge.ts';
import { mcpHandlers } from './mcp.ts';
import { modelHandlers } from './models.ts';
import { outboxHandlers } from './outbox.ts';
import { ruleHandlers } from './rules.ts';
import { runHandlers } from './runs.ts';
import { secretHandlers } from './secrets.ts';
import { spendingHandlers } from './spending.ts';
import { stateHandlers } from './state.ts';
import { triggerHandlers } from './triggers.ts';
import { workflowHandlers } from './workflows.ts';

/** Answers to all requests that need the engine; `health.get` and `doctor.get` need none and are the runtime's own. */
export function createHandlers(app: App): Omit<Handlers, 'health.get' | 'doctor.get'> {
  return {
    ...stateHandlers(app),
    ...runHandlers(app),
    ...ruleHandlers(app),
    ...outboxHandlers(app),
    ...workflowHandlers(app),
    ...entryHandlers(app),
    ...triggerHandlers(app),
    ...grantHandlers(app),
    ...modelHandlers(app),
    ...mcpHandlers(app),
    ...bridgeHandlers(app),
    ...consentHandlers(app),
    ...spendingHandlers(app),
    ...secretHandlers(app),
    ...artifactHandlers(app),
    ...draftHandlers(app),
    ...knowledgeHandlers(app),
  };
}
