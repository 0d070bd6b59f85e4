import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from './zod.ts';

/**
 * The link between the extension and the hub of the MCP bridge: JSON messages over a WebSocket on this machine's loopback, each side
 * sure of the other before a word is said.
 *
 * Proving: both know a key from pairing. The extension says who it is and a nonce (`hello`); the hub proves that it has the key over both
 * nonces (`prove`), then the extension does (`proof`), then the hub says `welcome`. The hub is first, so that a program which has only
 * taken the port gets nothing. Pairing is the same, with a key that is made from a code that a person carries from one side to the
 * other; the lasting key comes out of it and never crosses the link.
 */

/** Changes with what older ones would misread. */
export const LINK_VERSION = 1;
/** Where the hub may listen, tried in this order: none is registered with IANA, and all are below the ephemeral ports. */
export const LINK_PORTS: readonly number[] = [24_017, 24_117, 24_217, 24_317, 24_417];
export const LINK_PATH = '/link';
/** Longest message, characters: a screenshot of some megabytes fits. */
export const LINK_MESSAGE_MAX = 8 * 1024 * 1024;
/** How long the other side may take for each word of the handshake, milliseconds. */
export const HANDSHAKE_MS = 3000;
/** How often the extension says that it is there, milliseconds: traffic also keeps its worker alive (idle after 30 s). */
export const LINK_PING_MS = 20_000;

const nonce = z.string().regex(/^[0-9a-f]{64}$/);
const mac = nonce;
const callId = z.string().min(1).max(100);

/** How one browser (a profile of it) is called. */
export const instanceSchema = z.strictObject({
  /** Made once per profile. */
  instance: z.uuid(),
  browser: z.enum(['chromium', 'firefox']),
  /** The person's own word for this profile. */
  label: z.string().min(1).max(60),
  /** The extension's version. */
  version: z.string().max(30),
});
export type LinkInstance = z.infer<typeof instanceSchema>;

/** What the extension may say. */
export const fromExtension = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('hello'),
    v: z.int(),
    ...instanceSchema.shape,
    nonce,
    /** The person has just given the code. */
    pairing: z.boolean().optional(),
  }),
  z.strictObject({ t: z.literal('proof'), mac }),
  z.strictObject({ t: z.literal('ping') }),
  z.strictObject({ t: z.literal('result'), id: callId, value: z.json() }),
  z.strictObject({
    t: z.literal('failed'),
    id: callId,
    error: z.strictObject({ code: z.string().max(60), message: z.string(), details: z.json().optional() }),
  }),
  z.strictObject({ t: z.literal('progress'), id: callId, progress: z.json() }),
  /** Something that clients may have subscribed to has changed. */
  z.strictObject({ t: z.literal('changed'), what: z.array(z.string().max(200)).max(100) }),
  /** The person has taken the pairing back. */
  z.strictObject({ t: z.literal('unpair') }),
]);
export type FromExtension = z.infer<typeof fromExtension>;

/** Who calls: an MCP client, as it has named itself. */
export const callerSchema = z.strictObject({
  /** Of one front end; not secret, and not chosen by the client. */
  session: z.uuid(),
  name: z.string().max(100),
  version: z.string().max(60).optional(),
});
export type LinkCaller = z.infer<typeof callerSchema>;

/** What the hub may say. */
export const fromHub = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('prove'), nonce, mac }),
  /** This browser is not paired with this hub, or the other way round. */
  z.strictObject({ t: z.literal('unpaired') }),
  z.strictObject({ t: z.literal('refused'), code: z.string().max(60), message: z.string().max(500) }),
  z.strictObject({ t: z.literal('welcome') }),
  z.strictObject({ t: z.literal('pong') }),
  z.strictObject({
    t: z.literal('call'),
    id: callId,
    /** Same over all sendings of one call: what was done under it is not done again. */
    key: z.uuid(),
    caller: callerSchema,
    method: z.string().max(60),
    params: z.json(),
  }),
  z.strictObject({ t: z.literal('cancel'), id: callId }),
  z.strictObject({ t: z.literal('gone'), session: z.uuid() }),
  z.strictObject({ t: z.literal('unpair') }),
]);
export type FromHub = z.infer<typeof fromHub>;

/** Both nonces and the profile that a proof is about. */
export interface Handshake {
  instance: string;
  /** Of the extension and of the hub: 32 random bytes each, as hex. */
  extension: string;
  hub: string;
}

/** @param key 32 bytes as hex. @returns the proof that `side` has it, as hex; the sides' differ, so that none can be sent back */
export function proofOf(side: 'hub' | 'extension', key: string, about: Handshake): string {
  return mac256(hexToBytes(key), `tabloom link ${LINK_VERSION} ${side}`, about);
}

/** The lasting key that a pairing gives. */
export function linkKey(codeKey: string, about: Handshake): string {
  return mac256(hexToBytes(codeKey), `tabloom link ${LINK_VERSION} key`, about);
}

function mac256(key: Uint8Array, label: string, about: Handshake): string {
  const text = utf8ToBytes(`${label}\0${about.instance}\0`);
  return bytesToHex(hmac(sha256, key, concatBytes(text, hexToBytes(about.extension), hexToBytes(about.hub))));
}

/** Compares in a time that does not tell where two texts differ. */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let differs = 0;
  for (let index = 0; index < left.length; index++) differs |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return differs === 0;
}

/** Crockford's base 32: no I, L, O, U to be misread. https://www.crockford.com/base32.html */
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_SYMBOLS = 12;

/**
 * A code for a person to carry over: 60 bits in three groups of four symbols (`7K3M-Q9XT-A2VD`). Who listens in on a pairing could try
 * codes against what was said, so it must be too long to be tried; ten digits would not be.
 * @param random at least 12 random bytes
 */
export function pairingCode(random: Uint8Array): string {
  const symbols = [...random.subarray(0, CODE_SYMBOLS)].map((byte) => SYMBOLS[byte % SYMBOLS.length]).join('');
  return symbols.replace(/(.{4})(?=.)/g, '$1-');
}

/**
 * A code as a person has typed it: any case, with or without hyphens and spaces, O for 0 and I or L for 1.
 * @returns it as `pairingCode` spells it; `undefined` for what is none
 */
export function readCode(typed: string): string | undefined {
  const symbols = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  const known = [...symbols].every((symbol) => SYMBOLS.includes(symbol));
  return known && symbols.length === CODE_SYMBOLS ? symbols.replace(/(.{4})(?=.)/g, '$1-') : undefined;
}

/** @param code as `pairingCode` spells it. @returns the key that pairing is proved with, as hex */
export function codeKey(code: string): string {
  return bytesToHex(sha256(utf8ToBytes(`tabloom pairing code ${code}`)));
}
