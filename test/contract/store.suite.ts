import type { Store } from '../../src/ports/index.ts';
import type { ContractCase } from './check.ts';
import { commitCases } from './store-commit.cases.ts';
import { contentCases } from './store-content.cases.ts';
import { knowledgeCases } from './store-knowledge.cases.ts';
import { libraryCases } from './store-library.cases.ts';
import { outboxCases } from './store-outbox.cases.ts';
import { queryCases } from './store-query.cases.ts';
import { ruleCases } from './store-rules.cases.ts';

/** One empty store, and what only its maker can do with it. */
export interface StoreUnderTest {
  store: Store;
  /** Makes the store abort the next transaction of a commit, after its writes were asked for. */
  abortNext: () => void;
  /** Closes the store and opens the same data again. */
  reopen: () => Promise<Store>;
  dispose: () => Promise<void>;
}

/** A case body; each gets an empty store. */
export type StoreCase = [name: string, body: (store: Store, test: StoreUnderTest) => Promise<void>];

/**
 * What every `Store` must do, as named cases that need no test runner.
 * @param make gives an empty store; called once for each case.
 */
export function storeContract(name: string, make: () => Promise<StoreUnderTest>): ContractCase[] {
  return [
    ...commitCases,
    ...queryCases,
    ...contentCases,
    ...libraryCases,
    ...ruleCases,
    ...outboxCases,
    ...knowledgeCases,
  ].map(([title, body]) => ({
    name: `${name}: ${title}`,
    async run() {
      const test = await make();
      try {
        await body(test.store, test);
      } finally {
        await test.dispose();
      }
    },
  }));
}
