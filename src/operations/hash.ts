import { hashJson, sha256Hex } from '../model/canonical.ts';
import { z } from '../model/zod.ts';
import { defineOperation } from './define.ts';
import { anyJson } from './json-schema.ts';

export const hashSha256 = defineOperation({
  id: 'hash.sha256',
  summary: 'SHA-256 of a text (as UTF-8), or of any other value as canonical JSON.',
  args: z.strictObject({ value: anyJson }),
  output: '64 hex digits',
  work: ({ value }) => (typeof value === 'string' ? sha256Hex(value) : hashJson(value)),
});
