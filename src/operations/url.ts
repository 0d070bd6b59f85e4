import type { Json, JsonObject } from '../model/json.ts';
import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';

export const urlParse = defineOperation({
  id: 'url.parse',
  summary: 'Takes an address apart.',
  args: z.strictObject({ url: z.string() }),
  output:
    '{href, protocol, origin, host, port, path, query, hash}; port is null where none is written, a name given twice in the query has a list',
  work({ url }) {
    const parsed = parse(url);
    const query = new Map<string, string[]>();
    for (const [name, value] of parsed.searchParams) query.set(name, [...(query.get(name) ?? []), value]);
    return {
      href: parsed.href,
      protocol: parsed.protocol.replace(/:$/, ''),
      origin: parsed.origin,
      host: parsed.hostname,
      port: parsed.port === '' ? null : Number(parsed.port),
      path: parsed.pathname,
      query: Object.fromEntries(
        [...query].map(([name, values]): [string, Json] => [
          name,
          values.length === 1 ? (values[0] as string) : values,
        ]),
      ),
      hash: parsed.hash.replace(/^#/, ''),
    };
  },
});

function parse(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new OperationFailure(`"${url.slice(0, 80)}" is not an address such as https://example.com/path`);
  }
}

const simple = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const urlBuild = defineOperation({
  id: 'url.build',
  summary:
    'Puts an address together from the parts that `url.parse` gives, or from a `base` and what differs; values are escaped.',
  args: z.strictObject({
    base: z.string().optional(),
    protocol: z.enum(['http', 'https']).optional(),
    host: z.string().optional(),
    port: z.number().int().min(1).max(65_535).nullable().optional(),
    path: z.string().optional(),
    query: z.record(z.string(), z.union([simple, z.array(simple)])).optional(),
    hash: z.string().optional(),
    href: z.string().optional(),
    origin: z.string().optional(),
  }),
  output: 'text',
  work(parts) {
    if (parts.base === undefined && parts.host === undefined)
      throw new OperationFailure('it needs a "base" or a "host"');
    const url = parse(parts.base ?? 'https://placeholder.invalid/');
    if (parts.protocol !== undefined) url.protocol = parts.protocol;
    if (parts.host !== undefined) setHost(url, parts.host);
    if (parts.port !== undefined) url.port = parts.port === null ? '' : String(parts.port);
    if (parts.path !== undefined) url.pathname = parts.path;
    if (parts.query !== undefined) url.search = search(parts.query);
    if (parts.hash !== undefined) url.hash = parts.hash;
    return url.href;
  },
});

/** Sets the host, and refuses what would be more than one (`a@b`, `a/b`), which the setter drops or splits without a word. */
function setHost(url: URL, host: string): void {
  if (!/^(?:[^\s/?#@:\\[\]]+|\[[0-9a-fA-F:.]+\])$/.test(host))
    throw new OperationFailure(`"${host.slice(0, 80)}" is not a host name; a port goes into "port"`);
  url.hostname = host;
  if (url.hostname === 'placeholder.invalid') throw new OperationFailure(`"${host.slice(0, 80)}" is not a host name`);
}

function search(query: Record<string, Json | Json[]>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query satisfies JsonObject)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null) params.append(name, String(one));
  }
  return params.toString();
}
