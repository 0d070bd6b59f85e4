import type { StepRegistry, StepType } from '../engine/step-type.ts';
import { agent } from './agent.ts';
import { approval } from './approval.ts';
import { artifact } from './artifact.ts';
import { browserAction } from './browser-action.ts';
import { clientSession } from './client-session.ts';
import { condition } from './condition.ts';
import { deterministicCommand } from './deterministic-command.ts';
import { handoff } from './handoff.ts';
import { kbSearch } from './kb-search.ts';
import { kbWrite } from './kb-write.ts';
import { loop } from './loop.ts';
import { mcpTool } from './mcp-tool.ts';
import { notification } from './notification.ts';
import { parallel } from './parallel.ts';
import { recipe } from './recipe.ts';
import { review } from './review.ts';
import { subworkflow } from './subworkflow.ts';
import { task } from './task.ts';
import { wait } from './wait.ts';

/** Every step type this version runs. Adding one is a file and a line here. */
export const stepTypes: readonly StepType[] = [
  recipe,
  agent,
  browserAction,
  mcpTool,
  deterministicCommand,
  condition,
  loop,
  parallel,
  approval,
  review,
  task,
  wait,
  artifact,
  subworkflow,
  notification,
  handoff,
  kbWrite,
  kbSearch,
];

/** What files may hold. */
export const registry: StepRegistry = new Map(stepTypes.map((type) => [type.type, type]));

/** What the engine of the extension runs: also what stands in no file, and is begun by the extension alone. */
export const engineRegistry: StepRegistry = new Map([...registry, [clientSession.type, clientSession]]);
