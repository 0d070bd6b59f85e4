import { z } from './zod.ts';

/** What is kept of the pairing with the MCP bridge; its key is in the vault. */
export const bridgeSettingsSchema = z.strictObject({
  /** Made once per profile, and kept over pairings. */
  instance: z.uuid(),
  /** The person's word for this profile, shown to MCP clients. */
  label: z.string().min(1).max(60),
  /** Epoch milliseconds; absent while nothing is paired. */
  pairedAt: z.number().optional(),
});
export type BridgeSettings = z.infer<typeof bridgeSettingsSchema>;

/** Name of the pairing's key in the vault. */
export const BRIDGE_KEY = 'bridge:link';

/** How the link is, for Settings. */
export interface BridgeState {
  label: string;
  paired: boolean;
  pairedAt?: number;
  linked: boolean;
  /** Why there is no link, in one sentence; absent while it is there or is being looked for. */
  message?: string;
  /** MCP clients that have called in this life of the background, newest first. */
  clients: { name: string; version?: string; lastSeenAt: number }[];
}

/**
 * What goes into the configuration of an MCP client that starts its servers itself: one line of JSON.
 * @param command how `tabloom` is called there, and what comes before its own words
 */
export function bridgeConfiguration(command = 'tabloom', before: readonly string[] = []): string {
  return JSON.stringify({ mcpServers: { tabloom: { command, args: [...before, 'mcp'] } } });
}
