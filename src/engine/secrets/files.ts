import { sha256Hex } from '../../model/canonical.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { ArtifactRow } from '../../model/run.ts';
import { redactText } from './scan.ts';

/** A file that a step made or fetched. */
export interface File {
  row: ArtifactRow;
  bytes: Uint8Array;
}

/** Media types whose bytes are text in UTF-8 (RFC 2045, and `+json`, `+xml` of RFC 6839). Images and archives are not looked into. */
const TEXT =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson|x-pem-file|sql)\b|[^;]+\+(?:json|xml)\b)/i;

export interface CleanFiles {
  /** The step's output, with size and hash of a file that was changed. */
  output: Json;
  files: File[];
  /** Texts of the files that held a secret, as they came. */
  found: string[];
}

/** The files with secrets in text files replaced by `[redacted:<kind>]`; those without one as they are, to the byte. */
export function cleanFiles(given: Json, files: readonly File[]): CleanFiles {
  const clean: CleanFiles = { output: given, files: [], found: [] };
  for (const file of files) {
    const { row } = file;
    const text = TEXT.test(row.mediaType) ? new TextDecoder().decode(file.bytes) : '';
    const redacted = redactText(text);
    if (redacted === text) {
      clean.files.push(file);
      continue;
    }
    const bytes = new TextEncoder().encode(redacted);
    const changed = { size: bytes.length, sha256: sha256Hex(bytes) };
    clean.found.push(text);
    clean.files.push({ row: { ...row, ...changed }, bytes });
    if (isObject(clean.output) && clean.output.sha256 === row.sha256) clean.output = { ...clean.output, ...changed };
  }
  return clean;
}
