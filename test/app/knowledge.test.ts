import { describe, expect, it } from 'vitest';
import type { DocumentDraft } from '../../src/app/protocol.ts';
import { settle } from './fake.ts';
import { setUp, type World } from './world.ts';

const DAY = 24 * 3_600_000;
const KEY = ['AKIA', 'Z7VRSTQ4XWPN2KLM'].join('');

const draft = (title: string, content: string, more: Partial<DocumentDraft> = {}): DocumentDraft => ({
  title,
  content,
  collections: [],
  ...more,
});
const add = (world: World, ...documents: DocumentDraft[]) => world.ask('knowledge.add', { documents, secrets: 'ask' });
const listed = async (world: World) => (await world.ask('knowledge.list', {})).documents;
const found = async (world: World, query: string) =>
  (await world.ask('knowledge.search', { query, limit: 10 })).hits.map(({ documentId }) => documentId);

describe('the knowledge base of the background', () => {
  it('adds documents under ids of their own, lists and finds them, also after a restart', async () => {
    const world = setUp();
    const answer = await add(
      world,
      draft('Travel policy', '# Trains\nAre paid for.\n# Planes\nAre not.', { collections: ['finance'] }),
      draft('Travel policy', 'Another one with the same title'),
    );
    expect(answer).toEqual({ added: ['travel-policy', 'travel-policy-2'], unchanged: [], held: [] });
    expect(await listed(world)).toMatchObject([
      { documentId: 'travel-policy', title: 'Travel policy', collections: ['finance'], size: 40, passages: 2 },
      { documentId: 'travel-policy-2', passages: 1 },
    ]);
    const again = world.restart();
    const { hits } = await again.ask('knowledge.search', { query: 'planes', limit: 5, collection: 'finance' });
    expect(hits).toMatchObject([{ documentId: 'travel-policy', headings: ['Planes'], score: expect.any(Number) }]);
  });

  it('gives what is read again from the same file a new revision, and leaves what is the same alone', async () => {
    const world = setUp();
    const file = (content: string): DocumentDraft =>
      draft('Notes', content, { source: { kind: 'markdown', name: 'docs/Notes.md' } });
    await add(world, file('old words'));
    expect(await add(world, file('old words'))).toEqual({ added: [], unchanged: ['docs/notes'], held: [] });
    world.clock.advanceTo(world.clock.now() + 1000);
    expect((await add(world, file('new words'))).added).toEqual(['docs/notes']);
    const got = await world.ask('knowledge.get', { documentId: 'docs/notes' });
    expect(got?.document.content).toBe('new words');
    expect(got?.revisions.map(({ size, mode }) => [size, mode])).toEqual([
      [9, 'replace'],
      [9, 'replace'],
    ]);
    const older = got?.revisions[1]?.revision as string;
    const before = await world.ask('knowledge.get', { documentId: 'docs/notes', revision: older });
    expect(before?.document.content).toBe('old words');
    expect(await world.ask('knowledge.restore', { documentId: 'docs/notes', revision: older })).toEqual({
      restored: true,
    });
    expect(await found(world, 'old')).toEqual(['docs/notes']);
    expect(await found(world, 'new')).toEqual([]);
  });

  it('tells of what looks like a secret before it stores it; the rest of them is stored', async () => {
    const world = setUp();
    const documents = [draft('Clean', 'nothing here'), draft('Keys', `the key is ${KEY} and no more`)];
    const first = await world.ask('knowledge.add', { documents, secrets: 'ask' });
    expect(first).toMatchObject({ added: ['clean'], held: [{ index: 1, kinds: [expect.any(String)] }] });
    expect(JSON.stringify(await world.store.knowledge())).not.toContain(KEY);
    await world.ask('knowledge.add', { documents: documents.slice(1), secrets: 'mask' });
    expect(JSON.stringify(await world.store.knowledge())).not.toContain(KEY);
    expect((await world.ask('knowledge.get', { documentId: 'keys' }))?.document.content).toMatch(/\[redacted:/);
  });

  it('kept as it is, a secret is neither found nor shown by a search', async () => {
    const world = setUp();
    await world.ask('knowledge.add', { documents: [draft('Keys', `the key is ${KEY}`)], secrets: 'keep' });
    expect(await found(world, KEY)).toEqual([]);
    const { hits } = await world.ask('knowledge.search', { query: 'key', limit: 5 });
    expect(hits[0]?.excerpt).toMatch(/\[redacted:/);
    expect(JSON.stringify([await world.store.knowledgeIndex(), hits])).not.toContain(KEY);
    expect((await listed(world))[0]?.secrets).toHaveLength(1);
  });

  it('brings a removed document back as it was; one that was never removed is not there to be brought back', async () => {
    const world = setUp();
    await add(world, draft('Policy', 'zebra', { collections: ['animals'] }));
    expect(await world.ask('knowledge.restore', { documentId: 'policy' })).toEqual({ restored: false });
    expect(await world.ask('knowledge.remove', { documentId: 'policy' })).toEqual({ removed: true });
    expect(await world.ask('knowledge.remove', { documentId: 'policy' })).toEqual({ removed: false });
    expect([await listed(world), await found(world, 'zebra')]).toEqual([[], []]);
    expect(await world.ask('knowledge.get', { documentId: 'policy' })).toBeNull();
    expect(await world.ask('knowledge.restore', { documentId: 'policy' })).toEqual({ restored: true });
    expect(await listed(world)).toMatchObject([{ documentId: 'policy', title: 'Policy', collections: ['animals'] }]);
    expect(await found(world, 'zebra')).toEqual(['policy']);
  });

  it('erases what was removed a day ago, at the next start, and not before', async () => {
    const world = setUp();
    await add(world, draft('Policy', 'zebra'), draft('Other', 'giraffe'));
    await world.ask('knowledge.remove', { documentId: 'policy' });
    let next = world.restart();
    await next.ask('knowledge.list', {});
    expect(await next.store.knowledge({ documentId: 'policy' })).toHaveLength(2);
    next.clock.advanceTo(next.clock.now() + DAY);
    next = next.restart();
    expect((await listed(next)).map(({ documentId }) => documentId)).toEqual(['other']);
    expect((await next.store.knowledge({ documentId: 'policy' })).map(({ content }) => content)).toEqual(['']);
    expect(await next.ask('knowledge.restore', { documentId: 'policy' })).toEqual({ restored: false });
  });

  it('does not erase what an unfinished run has kept', async () => {
    const world = setUp();
    await add(world, draft('Policy', 'zebra'));
    const source = `format: tabloom/v1
id: keeps
name: Keeps
context: [policy]
steps: [{ id: w, type: wait, signal: go }]
`;
    await world.ask('workflow.import', { source, enable: true });
    expect(await world.ask('run.start', { workflowId: 'keeps', input: {} })).toHaveProperty('runId');
    await settle();
    await world.ask('knowledge.remove', { documentId: 'policy' });
    world.clock.advanceTo(world.clock.now() + DAY + 1);
    const next = world.restart();
    await next.ask('knowledge.list', {});
    expect(await next.store.knowledge({ documentId: 'policy' })).toHaveLength(2);
  });

  it.each([
    { documents: [] },
    { documents: [draft('', 'x')] },
    { documents: [draft('x', 'x', { documentId: '#x' })] },
    { documents: [draft('x', 'x'.repeat(2_000_001))] },
  ])('refuses what does not fit, case %#', async ({ documents }) => {
    const world = setUp();
    await expect(world.ask('knowledge.add', { documents, secrets: 'ask' })).rejects.toThrow('bad_request');
    expect(await world.store.knowledge()).toEqual([]);
  });

  it('does not read a page that it was given no access to', async () => {
    const world = setUp();
    await expect(world.ask('knowledge.page', { tabId: 999 })).rejects.toThrow('permission_denied');
  });
});
