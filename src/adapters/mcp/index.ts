export { type ToolLists, ToolPins } from './pins.ts';
export { createMcpPort, type McpPortOptions } from './port.ts';
