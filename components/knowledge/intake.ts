import { useRef, useState } from 'preact/hooks';
import type { DocumentDraft } from '../../src/app/protocol.ts';
import { ask } from '../client.ts';
import { type NamedFile, type ReadProblem, readFile } from './read.ts';

/** What one message may carry, in characters and documents. */
const MOST_AT_ONCE = 4_000_000;
const MOST_DOCUMENTS = 200;

/** What is being read now. */
export interface Progress {
  name: string;
  n: number;
  total: number;
}

/** What has come of it. */
export interface Outcome {
  added: number;
  unchanged: number;
  skipped: { name: string; problem: ReadProblem }[];
  stopped: boolean;
}

/** Documents that wait for a word about the secrets in them. */
export interface Held {
  draft: DocumentDraft;
  kinds: string[];
}

/** Reads files and sends documents to the background, a few at a time; documents with secrets wait for the person. */
export function useIntake() {
  const [progress, setProgress] = useState<Progress>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [held, setHeld] = useState<Held[]>([]);
  const [error, setError] = useState<unknown>();
  const run = useRef<{ stopped: boolean }>(undefined);

  const send = async (drafts: DocumentDraft[], secrets: 'ask' | 'mask' | 'keep', done: Outcome) => {
    for (const part of parts(drafts)) {
      const answer = await ask('knowledge.add', { documents: part, secrets });
      done.added += answer.added.length;
      done.unchanged += answer.unchanged.length;
      const waiting = answer.held.flatMap(({ index, kinds }) => {
        const draft = part[index];
        return draft ? [{ draft, kinds }] : [];
      });
      if (waiting.length > 0) setHeld((before) => [...before, ...waiting]);
    }
  };

  /** One piece of work after the other; what is asked for meanwhile is not begun. @returns whether it was done */
  const work = async (what: (done: Outcome, here: { stopped: boolean }) => Promise<void>): Promise<boolean> => {
    if (run.current) return false;
    const here = { stopped: false };
    run.current = here;
    const done: Outcome = { added: 0, unchanged: 0, skipped: [], stopped: false };
    setError(undefined);
    setOutcome(undefined);
    try {
      await what(done, here);
      return true;
    } catch (reason) {
      setError(reason);
      return false;
    } finally {
      run.current = undefined;
      setProgress(undefined);
      setOutcome({ ...done, stopped: here.stopped });
    }
  };

  return {
    progress,
    outcome,
    held,
    error,
    /** Adds documents that are read already. */
    add: (drafts: DocumentDraft[]) => work((done) => send(drafts, 'ask', done)),
    /** Reads files, or what gives them, and adds what can be read. */
    addFiles: (given: NamedFile[] | Promise<NamedFile[]>, collections: string[]) =>
      work(async (done, here) => {
        const files = await given;
        let drafts: DocumentDraft[] = [];
        for (const [index, file] of files.entries()) {
          if (here.stopped) break;
          setProgress({ name: file.name, n: index + 1, total: files.length });
          const read = await readFile(file);
          if ('problem' in read) done.skipped.push({ name: file.name, problem: read.problem });
          else drafts.push({ ...read.draft, collections });
          if (weight(drafts) < MOST_AT_ONCE && drafts.length < MOST_DOCUMENTS) continue;
          await send(drafts, 'ask', done);
          drafts = [];
        }
        if (drafts.length > 0) await send(drafts, 'ask', done);
      }),
    /** Answers for the documents that wait. */
    decide: (secrets: 'mask' | 'keep' | 'drop') => {
      const waiting = held;
      return work(async (done) => {
        if (secrets !== 'drop')
          await send(
            waiting.map(({ draft }) => draft),
            secrets,
            done,
          );
        setHeld((now) => now.filter((one) => !waiting.includes(one)));
      });
    },
    stop: () => {
      if (run.current) run.current.stopped = true;
    },
  };
}

export type Intake = ReturnType<typeof useIntake>;

const weight = (drafts: readonly DocumentDraft[]): number =>
  drafts.reduce((sum, { content }) => sum + content.length, 0);

/** Drafts in parts that fit into a message each. */
function parts(drafts: readonly DocumentDraft[]): DocumentDraft[][] {
  const all: DocumentDraft[][] = [];
  let part: DocumentDraft[] = [];
  for (const draft of drafts) {
    if (part.length >= MOST_DOCUMENTS || (part.length > 0 && weight(part) + draft.content.length > MOST_AT_ONCE)) {
      all.push(part);
      part = [];
    }
    part.push(draft);
  }
  return part.length > 0 ? [...all, part] : all;
}
