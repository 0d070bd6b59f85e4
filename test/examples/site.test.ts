import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SampleSite, startSampleSite } from '../../src/examples/site/server.ts';

let site: SampleSite;
beforeEach(async () => {
  site = await startSampleSite();
});
afterEach(() => site.close());

interface Page {
  page: number;
  pages: number;
  total: number;
  lines: { id: string; amount: number; status: string; employee: string }[];
}

const list = async (query: string) => (await (await fetch(`${site.url}/api/expenses${query}`)).json()) as Page;
const review = (id: string, body: string, type = 'application/json') =>
  fetch(`${site.url}/api/expenses/${id}/review`, { method: 'POST', headers: { 'content-type': type }, body });
const GOOD = '{"decision":"ask_details","message":"Why?","followUp":true}';

describe('the list', () => {
  it('twelve lines: come on two pages without overlap', async () => {
    const [first, second] = [await list('?page=1'), await list('?page=2')];
    expect([first.total, first.pages, first.lines.length, second.lines.length]).toEqual([12, 2, 6, 6]);
    expect(new Set([...first.lines, ...second.lines].map((line) => line.id)).size).toBe(12);
  });

  it.each([
    ['?page=0', 1],
    ['?page=99', 2],
    ['?page=x', 1],
    ['', 1],
  ])('page %j: is page %i', async (query, page) => {
    expect((await list(query)).page).toBe(page);
  });

  it('sorted by amount, highest first: by number, not by text', async () => {
    const { lines } = await list('?sort=amount&order=descending');
    expect(lines.map((line) => line.amount).slice(0, 3)).toEqual([1240.5, 612, 287.1]);
  });

  it("a line changed behind the page's back: the next read shows it, reset takes it back", async () => {
    site.mutate('2041', { employee: 'Somebody Else' });
    expect((await list('')).lines[0]?.employee).toBe('Somebody Else');
    site.reset();
    expect((await list('')).lines[0]?.employee).toBe('Mira Lindqvist');
    expect(() => site.mutate('1', {})).toThrow(RangeError);
  });
});

describe('a review', () => {
  it('sent once: is in the log to the letter, and the line says so', async () => {
    expect((await review('2044', GOOD)).status).toBe(201);
    expect(site.log()).toEqual([
      {
        id: '2044',
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        raw: GOOD,
        submitted: { decision: 'ask_details', message: 'Why?', followUp: true },
        accepted: true,
      },
    ]);
    expect((await list('')).lines.find((line) => line.id === '2044')?.status).toBe('Details asked');
  });

  it('sent twice: is in the log twice', async () => {
    await review('2044', GOOD);
    await review('2044', GOOD);
    expect(site.log().map((entry) => entry.id)).toEqual(['2044', '2044']);
    site.reset();
    expect(site.log()).toEqual([]);
  });

  it.each([
    ['no decision', '2044', '{"decision":"","message":"x"}', 422],
    ['no message', '2044', '{"decision":"reject","message":" "}', 422],
    ['no JSON', '2044', 'hello', 422],
    ['a line that is not there', '9', GOOD, 404],
  ])('with %s: is refused, and logged as such', async (_name, id, body, status) => {
    expect((await review(id, body)).status).toBe(status);
    expect(site.log()).toMatchObject([{ id, raw: body, accepted: false }]);
  });

  it('of another type than JSON, as any page could post it: is refused', async () => {
    expect((await review('2044', GOOD, 'text/plain')).status).toBe(415);
    expect(site.log()).toEqual([]);
  });
});

describe('pages', () => {
  it.each([
    '/expenses',
    '/expenses?page=2',
    '/expenses/2044',
    '/assets/app.js',
    '/assets/style.css',
    '/assets/icon.svg',
  ])('%s: is served under a strict policy', async (path) => {
    const response = await fetch(site.url + path);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it.each(['/assets/../server.ts', '/assets/%2e%2e/server.ts', '/assets/nothing.js', '/secret', '/expenses/1/2'])(
    '%s: is not there',
    async (path) => {
      expect((await fetch(site.url + path)).status).toBe(404);
    },
  );
});
