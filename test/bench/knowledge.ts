import { KnowledgeBase } from '../../src/engine/knowledge/base.ts';
import type { KnowledgeWrite } from '../../src/model/knowledge.ts';
import type { Store } from '../../src/ports/index.ts';

const DOCUMENTS = 500;
const PASSAGES = 20;
/** Passages in all. */
export const PASSAGE_COUNT = DOCUMENTS * PASSAGES;
/** Words of a passage, and different words in all. */
const WORDS = 130;
const VOCABULARY = 30_000;
const SEARCHES = 40;

/** Milliseconds. */
export interface KnowledgeFigures {
  /** To index all documents for the first time. */
  build: number;
  /** First search of a base that has just been made over the stored index: what a worker that was woken takes. */
  first: number;
  /** A search after it, with its excerpts: the median, and the slowest of a number of different ones. */
  search: number;
  slowest: number;
}

/** Numbers from 0 to 1 that are the same in each run. */
function sequence(): () => number {
  let state = 12_345;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Words as texts have them: few very often, most hardly ever. */
function words(count: number, random: () => number): string {
  return Array.from({ length: count }, () => {
    const rank = Math.floor(VOCABULARY ** random());
    return `w${rank.toString(36)}${'aeiou'[rank % 5]}n${'rstlm'[rank % 7] ?? 'g'}`;
  }).join(' ');
}

/** A knowledge base of 10,000 passages in a store: how long it takes to index, and to search. */
export async function measureKnowledge(store: Store): Promise<KnowledgeFigures> {
  const random = sequence();
  for (let at = 0; at < DOCUMENTS; at += 50) {
    const writes = Array.from({ length: 50 }, (_, i): KnowledgeWrite => {
      const documentId = `document-${at + i}`;
      const sections = Array.from(
        { length: PASSAGES },
        (_, n) => `# Part ${n} ${words(3, random)}\n${words(WORDS, random)}`,
      );
      return {
        documentId,
        revision: documentId,
        mode: 'replace',
        title: words(4, random),
        content: sections.join('\n\n'),
        at: 1,
      };
    });
    await store.addKnowledge(...writes);
  }
  const build = await timed(() => new KnowledgeBase(store).entries());
  const base = new KnowledgeBase(store);
  const first = await timed(() => base.search({ query: words(3, random), limit: 5 }));
  const times: number[] = [];
  for (let n = 0; n < SEARCHES; n += 1) {
    const query = words(1 + (n % 5), random);
    times.push(await timed(() => base.search({ query, limit: 5 })));
  }
  times.sort((a, b) => a - b);
  const passages = (await base.entries()).reduce((sum, each) => sum + each.passages, 0);
  if (passages !== PASSAGE_COUNT) throw new Error(`there are ${passages} passages`);
  return { build, first, search: times[SEARCHES >> 1] as number, slowest: times.at(-1) as number };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
