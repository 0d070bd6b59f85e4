import type { App, Handlers } from '../app.ts';

type Names = 'triggers.list' | 'trigger.switch' | 'trigger.dismiss' | 'trigger.form' | 'trigger.start';

/** The triggers of workflows: seen, switched, and started from a run form. */
export function triggerHandlers({ triggers }: App): Pick<Handlers, Names> {
  const { desk } = triggers;
  return {
    'triggers.list': async ({ workflowId }) => ({ triggers: await desk.list(workflowId) }),
    async 'trigger.switch'(payload) {
      const refused = await desk.switch(payload);
      return refused ? { refused } : { triggers: await desk.list(payload.workflowId) };
    },
    async 'trigger.dismiss'({ workflowId, triggerId }) {
      await desk.dismiss(workflowId, triggerId);
      return { triggers: await desk.list(workflowId) };
    },
    'trigger.form': (payload) => desk.form(payload),
    'trigger.start': (payload) => desk.start(payload),
  };
}
