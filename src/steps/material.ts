import { breakBefore } from '../engine/knowledge/passages.ts';
import { redactText, withoutSecrets } from '../engine/secrets/index.ts';
import type { WorkContext } from '../engine/step-type.ts';
import { TabloomError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { ModelFile } from '../ports/model.ts';
import { neutral } from './data-marks.ts';

/** Characters of documents and attached texts together that are put before one prompt; about 8,000 tokens. */
export const MATERIAL_MAX = 24_000;
/** Bytes of one attached picture. Providers take five million or more. */
const PICTURE_MAX = 4_000_000;
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** What a step is made of, as far as its material goes. */
type Work = Pick<WorkContext, 'step' | 'workflow' | 'fields' | 'documents'>;

/** What is put before a prompt. */
export interface Material {
  /** Blocks of marked data, each with its source named; empty where there is nothing. */
  text: string;
  /** Pictures, which are sent beside the text. */
  files: ModelFile[];
  /** What it is made of, to be kept with the attempt: `{source, revision, size, shown}`, sizes in characters. */
  used: JsonObject[];
}

interface Source {
  /** As the block names it. */
  source: string;
  revision?: string;
  content: string;
}

/**
 * The documents that `context` of the file and of the step names, and the step's `attachments`, as a model gets them. What does not fit
 * into the space is cut, the longest first, and the cut is marked.
 * @throws TabloomError `input_invalid` for a document that is not there or an attachment that no model reads, `artifact_missing`,
 * `secret_detected`
 */
export async function materialOf(context: WorkContext): Promise<Material> {
  const { texts, files } = await attached(context);
  const sources = [...(await documents(context)), ...texts].map((each) => ({
    ...each,
    content: withoutSecrets(context.workflow, `The ${each.source}`, each.content, context.path),
  }));
  const shares = sharesOf(sources.map(({ content }) => content.length));
  const blocks = sources.map((source, index) => blockOf(source, shares[index] as number));
  const used = sources.map(({ source, revision, content }, index) => ({
    source,
    ...(revision === undefined ? {} : { revision }),
    size: content.length,
    shown: Math.min(content.length, shares[index] as number),
  }));
  return {
    text: blocks.join('\n\n'),
    files,
    used: [...used, ...files.map(({ name }) => ({ source: `file ${name}` }))],
  };
}

/** Most characters that a step's material may have, for the check against the budget. What is known only at the call counts in full. */
export function materialSize(work: Work): number {
  let size = 0;
  for (const name of namesOf(work)) {
    const pinned = work.documents.filter(({ names }) => names.includes(name));
    if (pinned.length === 0) return MATERIAL_MAX;
    for (const document of pinned) size += document.size;
  }
  return listOf(work.fields.attachments).length > 0 ? MATERIAL_MAX : Math.min(size, MATERIAL_MAX);
}

/** Names in `context`, those of the file first. */
function namesOf({ workflow, fields }: Pick<Work, 'workflow' | 'fields'>): string[] {
  return [...new Set([...(workflow.context ?? []), ...listOf(fields.context)])];
}

function listOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** As they were when the run started, where the file names them; what a template names, as it is now. */
async function documents(context: WorkContext): Promise<Source[]> {
  const { ports, path } = context;
  const found = new Map<string, Source>();
  for (const name of namesOf(context)) {
    const pinned = context.documents.filter(({ names }) => names.includes(name));
    const read =
      pinned.length > 0
        ? await Promise.all(pinned.map(({ documentId, revision }) => ports.knowledge.document(documentId, revision)))
        : await ports.knowledge.named(name);
    if (read.length === 0) {
      throw new TabloomError(
        'input_invalid',
        `There is no "${name}" in the knowledge base: write it first, or correct the name in "context".`,
        { step: path, field: 'context' },
      );
    }
    for (const document of read) {
      if (!document) throw new TabloomError('internal', `The store has lost a revision of "${name}".`, { step: path });
      const { documentId, revision, title, content } = document;
      // A title is not what a run fails for; what looks like a secret in it is not sent either.
      found.set(documentId, { source: `document ${documentId}: ${redactText(title)}`, revision, content });
    }
  }
  return [...found.values()];
}

/** Artifacts of this run. One of another run is as if it were not there. */
async function attached(context: WorkContext): Promise<{ texts: Source[]; files: ModelFile[] }> {
  const texts: Source[] = [];
  const files: ModelFile[] = [];
  for (const id of new Set(listOf(context.fields.attachments))) {
    const found = await context.ports.artifacts.artifact(id);
    const refused = (code: string, message: string) =>
      new TabloomError(code, message, { step: context.path, field: 'attachments' });
    if (!found || found.row.runId !== context.runId)
      throw refused(
        'artifact_missing',
        `This run has no artifact "${id}": attach the artifactId that a step before gave.`,
      );
    const { name, mediaType, sha256 } = found.row;
    if (PICTURES.includes(mediaType)) {
      if (found.bytes.length > PICTURE_MAX)
        throw refused(
          'input_invalid',
          `The picture ${name} is too large for a model: attach a smaller one, of one element for example.`,
        );
      files.push({ name, mediaType, bytes: found.bytes });
      continue;
    }
    const content = textOf(found.bytes);
    if (content === undefined)
      throw refused('input_invalid', `The artifact ${name} is ${mediaType}: attach text or a picture instead.`);
    texts.push({ source: `file ${name}`, revision: sha256, content });
  }
  return { texts, files };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** How many characters of each are shown: short ones whole, what is left in equal parts for the longer ones. */
function sharesOf(sizes: readonly number[]): number[] {
  const shares = sizes.map(() => 0);
  let left = MATERIAL_MAX;
  const order = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size);
  for (const [place, { size, index }] of order.entries()) {
    const share = Math.min(size, Math.floor(left / (order.length - place)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

function blockOf({ source, content }: Source, share: number): string {
  // A name is data as well, and must not end the mark that it stands in.
  const name = source.replace(/[<>"\s]+/g, ' ').trim();
  const at = share < content.length ? breakBefore(content, Math.max(1, share)) : content.length;
  const cut = at < content.length ? `\n[cut here: ${at} of ${content.length} characters are shown]` : '';
  return `<data source="${name}">\n${neutral(content.slice(0, at))}${cut}\n</data>`;
}
