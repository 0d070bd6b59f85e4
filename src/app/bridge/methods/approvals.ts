import { z } from '../../../model/zod.ts';
import { method } from './define.ts';

/**
 * What people are asked now. The bridge only tells of it: the answer is given in the extension, where the person sees the very thing that
 * is decided.
 */
export const approvalsList = method(z.strictObject({ runId: z.string().optional() }), async ({ app, params }) => {
  const rows = await app.store.approvals({ status: 'pending', ...(params.runId ? { runId: params.runId } : {}) });
  return {
    approvals: rows.map(({ runId, path, title, message, risk, workflowName, createdAt, expiresAt }) => ({
      runId,
      path,
      workflow: workflowName,
      title,
      message,
      risk,
      createdAt,
      expiresAt,
    })),
  };
});
