import type { ServerContext } from '@modelcontextprotocol/server';

/** Who asks to be told is told at least so often, milliseconds: some clients give up what stays silent. */
const EVERY_MS = 10_000;

/** Tells a client how far its call is, if it has asked to be told: each change, and now and then that it still goes on. */
export function progressTo(ctx: ServerContext): { progress(message: string): void; stop(): void } {
  const token = ctx.mcpReq._meta?.progressToken;
  if (token === undefined) return { progress: () => undefined, stop: () => undefined };
  let count = 0;
  let last = 'waiting for the browser';
  const send = () => {
    const params = { progressToken: token, progress: ++count, message: last };
    void ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const timer = setInterval(send, EVERY_MS);
  return {
    progress(message) {
      last = message;
      send();
    },
    stop: () => clearInterval(timer),
  };
}
