import { makeDexieStore } from '../../contract/dexie-store.ts';
import { storeContract } from '../../contract/store.suite.ts';
import { asTests, fakeIdb } from '../../contract/vitest.ts';

asTests(storeContract('dexie', () => makeDexieStore(fakeIdb())));
