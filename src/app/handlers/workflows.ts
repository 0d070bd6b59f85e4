import { hasErrors } from '../../engine/preflight/index.ts';
import type { App, Handlers } from '../app.ts';
import { wishesOf } from '../drafted.ts';
import { preferMatched } from '../prefer.ts';

type Names = `workflow.${'import' | 'check' | 'enable' | 'prefer' | 'remove' | 'get'}`;

/**
 * The library of workflows. Import and switching on check the file; what lies outside it (grants, models, secrets) may still be missing
 * then, and is checked when a run starts.
 */
export function workflowHandlers(app: App): Pick<Handlers, Names> {
  const { library, store, updates } = app;
  return {
    async 'workflow.import'({ source, enable, draft }) {
      const saved = await library.save(source, enable, draft);
      if ('refused' in saved) return saved;
      await app.triggers.changed();
      updates.push(['workflows']);
      const { row, problems } = saved;
      return { workflowId: row.workflowId, revision: row.revision, enabled: row.enabled, problems };
    },
    async 'workflow.check'({ source }) {
      return library.check(source);
    },
    async 'workflow.enable'({ workflowId, enabled }) {
      const stored = await library.find(workflowId);
      if (!stored)
        return {
          refused: {
            code: 'workflow_missing',
            message: `There is no workflow ${workflowId}; import or save it first.`,
            problems: [],
          },
        };
      const problems = enabled ? library.problems(stored.revision) : [];
      if (hasErrors(problems))
        return {
          refused: {
            code: 'preflight_failed',
            message: `Correct ${stored.row.name} before you switch it on.`,
            problems,
          },
        };
      await store.setWorkflowEnabled(workflowId, enabled);
      await app.triggers.changed();
      updates.push(['workflows']);
      return { enabled };
    },
    async 'workflow.prefer'({ runId, path }) {
      const saved = await preferMatched(app, runId, path);
      if ('refused' in saved) return saved;
      await app.triggers.changed();
      updates.push(['workflows']);
      return saved;
    },
    async 'workflow.remove'({ workflowId }) {
      const removed = (await store.workflow(workflowId)) !== undefined;
      await store.removeWorkflow(workflowId);
      await app.triggers.forget(workflowId);
      // What comes later under this id is another workflow, for which nobody has said always.
      for (const rule of await store.rules())
        if (rule.workflowId === workflowId) await app.engine.standing.withdraw(rule.ruleId);
      updates.push(['workflows']);
      return { removed };
    },
    async 'workflow.get'({ workflowId }) {
      const stored = await library.find(workflowId);
      if (!stored) return null;
      const { revision, definition, source } = stored.revision;
      const own = library.problems(stored.revision);
      return {
        // JSON is a workflow file too.
        source: source ?? `${JSON.stringify(definition, null, 2)}\n`,
        revision,
        ...wishesOf(definition),
        problems: [...own, ...(hasErrors(own) ? [] : await library.environment(definition, false))],
      };
    },
  };
}
