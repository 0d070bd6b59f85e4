export { createMcpPort, type McpPortOptions } from './port.ts';
