import { describe, expect, it } from 'vitest';
import { cleanFiles } from '../../../src/engine/secrets/index.ts';
import { sha256Hex } from '../../../src/model/canonical.ts';
import { TOKENS } from './tokens.ts';

function file(mediaType: string, text: string) {
  const bytes = new TextEncoder().encode(text);
  const row = {
    artifactId: 'a',
    runId: 'r',
    path: 'get',
    name: 'f',
    mediaType,
    size: bytes.length,
    sha256: sha256Hex(bytes),
    createdAt: 0,
  };
  return { row, bytes };
}

describe('files of a step', () => {
  it('a token in a text file: replaced, and size and hash follow in row and output', () => {
    const given = file('text/csv; charset=utf-8', `name,key\na,${TOKENS.github_token}\n`);
    const clean = cleanFiles({ artifactId: 'a', size: given.row.size, sha256: given.row.sha256 }, [given]);
    const text = 'name,key\na,[redacted:github_token]\n';
    expect(new TextDecoder().decode(clean.files[0]?.bytes)).toBe(text);
    expect(clean.files[0]?.row).toMatchObject({ size: text.length, sha256: sha256Hex(text) });
    expect(clean.output).toEqual({ artifactId: 'a', size: text.length, sha256: sha256Hex(text) });
    expect(clean.found).toHaveLength(1);
  });

  it('a clean text file and a picture: the very same bytes', () => {
    const files = [file('application/json', '{"a":1}'), file('image/png', `x ${TOKENS.github_token}`)];
    const clean = cleanFiles({ ok: true }, files);
    expect(clean.files[0]?.bytes).toBe(files[0]?.bytes);
    expect(clean.files[1]?.bytes).toBe(files[1]?.bytes);
    expect(clean.found).toEqual([]);
  });
});
