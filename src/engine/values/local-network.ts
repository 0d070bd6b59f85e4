/** IPv4 blocks that are not of the public internet, as [address, bits]: this machine, private, shared and link-local ones. */
const LOCAL_BLOCKS: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];
/** Top-level names that no public name server answers for (RFC 6761, 6762, 8375, and the one that ICANN keeps for private use). */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Whether a host is of this machine or of the network around it, as far as its name says: an address of those, a name that only they know,
 * a name without a dot. What a public name is resolved to is not known here.
 * @param hostname as `URL` gives it: lower case, addresses in their one form, IPv6 in brackets
 */
export function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (host.startsWith('[')) return isLocalV6(host.slice(1, -1));
  const v4 = readV4(host);
  if (v4 !== undefined) return isLocalV4(v4);
  return !host.includes('.') || LOCAL_NAMES.test(host);
}

function readV4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part))) return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

function isLocalV4(address: number): boolean {
  return LOCAL_BLOCKS.some(([start, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((readV4(start) as number) / size);
  });
}

function isLocalV6(text: string): boolean {
  const groups = readV6(text);
  const [first] = groups as [number];
  // fc00::/7 of its own network, fe80::/10 of its own link.
  if ((first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80) return true;
  const v4 = (groups[6] as number) * 65_536 + (groups[7] as number);
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  // `::` and `::1`, and addresses that hold one of IPv4 (mapped, and translated by NAT64).
  if (zeros(6)) return v4 <= 1 || isLocalV4(v4);
  if (zeros(5) && groups[5] === 0xffff) return isLocalV4(v4);
  const translated = first === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  return translated && isLocalV4(v4);
}

/** The eight groups of an address as `URL` writes it. */
function readV6(text: string): number[] {
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = read(head);
  const after = tail === undefined ? [] : read(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
