/** One MCP server at an address, under the name that workflows use. */
export interface McpServer {
  name: string;
  /** Address of its Streamable HTTP endpoint. */
  url: string;
}

/** The MCP servers of the settings. */
export interface McpSettings {
  servers: McpServer[];
}

/** Names of servers: they are part of tool names (`mcp__<name>__<tool>`), so there is no `__` in them. */
export const MCP_NAME = /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/;
export const MCP_NAME_MAX = 40;

/** Whether an address may be asked: encrypted, or on this very machine, and without a user or password in it. */
export function mayBeMcp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  const here = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  return username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && here));
}
