import type { App, Handlers } from '../app.ts';

/** The MCP servers that workflows may use. */
export function mcpHandlers({
  mcp,
  updates,
}: App): Pick<Handlers, `mcp.${'get' | 'set' | 'test' | 'changes' | 'accept'}`> {
  return {
    'mcp.get': async () => mcp.get(),
    async 'mcp.set'(settings) {
      const saved = await mcp.set(settings);
      updates.push(['settings']);
      return saved;
    },
    'mcp.test': ({ name }) => mcp.test(name),
    'mcp.changes': async () => ({ changes: mcp.changes() }),
    'mcp.accept': async ({ server, tool, hash }) => ({ changes: mcp.accept(server, tool, hash) }),
  };
}
