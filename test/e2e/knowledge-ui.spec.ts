import type { DocumentRevision } from '../../src/app/protocol.ts';
import type { KnowledgeEntry, PassageHit } from '../../src/model/knowledge.ts';
import { APP_LOOKS, asked, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import type { FakeAnswers } from '../support/ui-harness-browser.ts';
import { EMPTY, HASH, START } from '../support/ui-harness-fixtures.ts';

/** What the knowledge page and the page of a document show in each of their states. */

const entry = (documentId: string, title: string, more: Partial<KnowledgeEntry> = {}): KnowledgeEntry => ({
  documentId,
  revision: HASH,
  title,
  collections: [],
  updatedAt: START - 3_600_000,
  size: 12_345,
  passages: 12,
  ...more,
});
const LONG = `Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz-${'x'.repeat(120)}`;
const DOCUMENTS = [
  entry('travel-policy', 'Travel policy', {
    collections: ['finance'],
    source: { kind: 'pdf', name: 'Travel policy.pdf' },
  }),
  entry('handbook/onboarding', LONG, { collections: ['people', LONG.slice(0, 80)], size: 1_900_000, passages: 1800 }),
  entry('keys', 'Access to the servers', { secrets: ['password'], size: 1, passages: 1 }),
];
const HITS: PassageHit[] = [
  {
    documentId: 'travel-policy',
    title: 'Travel policy',
    headings: ['Trains', 'Second class'],
    excerpt: '… <b>Trains</b> are paid for, in second class, also abroad …',
    score: 4.2137,
    source: { kind: 'pdf', name: 'Travel policy.pdf' },
  },
  { documentId: 'handbook/onboarding', title: LONG, headings: [], excerpt: LONG, score: 0.61 },
];
const REVISIONS: DocumentRevision[] = [
  {
    revision: HASH,
    mode: 'append',
    at: START - 60_000,
    title: LONG,
    size: 80,
    by: { runId: 'r1', path: 'each[2]/keep' },
  },
  { revision: HASH.replace('3f', 'a0'), mode: 'replace', at: START - 86_400_000, title: LONG, size: 41 },
];
const ANSWERS: FakeAnswers = {
  'state.get': EMPTY,
  'knowledge.list': { documents: DOCUMENTS },
  'knowledge.search': { hits: HITS },
  'knowledge.get': {
    document: {
      documentId: 'handbook/onboarding',
      revision: HASH,
      title: LONG,
      content: `# Welcome\n\n<img src=x onerror=alert(1)>\n${'A line of text. '.repeat(60)}\n${LONG}\n`,
      collections: ['people'],
      source: { kind: 'page', name: 'https://wiki.example.com/people/onboarding?version=17&view=full' },
      updatedAt: START - 60_000,
    },
    revisions: REVISIONS,
  },
  'knowledge.add': { added: [], unchanged: [], held: [{ index: 0, kinds: ['aws-access-key', 'password'] }] },
  'knowledge.remove': { removed: true },
  'knowledge.restore': { restored: true },
};

test('nothing there yet, and an error that can be tried again', async ({ open }) => {
  const page = await open('app', {
    answers: { ...ANSWERS, 'knowledge.list': { documents: [] } },
    width: 320,
    hash: '#/knowledge',
  });
  await expect(page.getByTestId('empty')).toContainText('There are no documents yet');
  await expect(page.getByTestId('kb-search')).toHaveCount(0);
  await expectAccessible(page);
  const failing: FakeAnswers = {
    ...ANSWERS,
    'knowledge.list': { fail: 'internal', message: 'The database was closed; reload Tabloom.' },
  };
  const broken = await open('app', { answers: failing, width: 320, hash: '#/knowledge' });
  await expect(broken.getByTestId('error')).toBeVisible();
  await broken.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await asked(broken, 'knowledge.list')).length).toBeGreaterThan(1);
});

for (const [name, look] of APP_LOOKS) {
  test(`found passages, documents, a secret that waits and a removed document: ${name}`, async ({ open }) => {
    const page = await open('app', { answers: ANSWERS, hash: '#/knowledge', ...look });
    await expect(page.getByTestId('kb-document')).toHaveCount(3);
    await page.getByTestId('kb-search').fill('trains');
    await expect(page.getByTestId('kb-hit')).toHaveCount(2);
    await page.getByTestId('kb-paste').click();
    await page.getByTestId('kb-paste-text').fill('The password is not here');
    await page.getByTestId('kb-paste-add').click();
    await expect(page.getByTestId('kb-secrets')).toBeVisible();
    await page.getByTestId('kb-remove').first().click();
    await expect(page.getByTestId('kb-undo')).toBeVisible();
    // Width and language change nothing of what is asked here, and each asking takes seconds.
    const asks = look.width > 500;
    if (asks) await expectAccessible(page);
    await expectNoSideScroll(page);
    await page.goto(`${page.url().replace(/#.*$/, '')}#/knowledge/handbook%2Fonboarding`);
    await expect(page.getByTestId('kb-revision')).toHaveCount(2);
    await expect(page.getByTestId('kb-text')).toContainText('<img src=x');
    if (asks) await expectAccessible(page);
    await expectNoSideScroll(page);
  });
}
