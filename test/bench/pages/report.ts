import type { Goal } from '../goals.ts';
import type { ContenderFigures, PageFigures, PagesFigures, Spread } from './measure.ts';
import { PAGE_NAMES, type PageName } from './site.ts';

/** Characters that a snapshot may have. */
export const MOST_CHARACTERS: Readonly<Record<PageName, number>> = { form: 800, table: 20_000, article: 15_000 };

/** How many times as fast as the faster of the others a click is to be. */
const TIMES = 5;

/** The goals of page actions, and what this run of the benchmark says of them. Those that compare are left out where nothing else was measured. */
export function judgePages({ ours, peers }: PagesFigures): Goal[] {
  const goals: Goal[] = [];
  if (peers.length > 0) {
    const times = fastest(peers, (page) => page.click, 'form') / ours.pages.form.click.median;
    goals.push({
      what: 'a click on an idle page (the form), to the faster of the other servers',
      goal: `≥ ${TIMES} × as fast`,
      found: `${times.toFixed(1)} ×`,
      met: times >= TIMES,
    });
  }
  for (const name of PAGE_NAMES) {
    const { characters, snapshot } = ours.pages[name];
    goals.push({
      what: `snapshot of the ${name}, characters`,
      goal: `≤ ${MOST_CHARACTERS[name]}`,
      found: String(characters),
      met: characters <= MOST_CHARACTERS[name],
    });
    if (peers.length === 0) continue;
    const times = fastest(peers, (page) => page.snapshot, name) / snapshot.median;
    goals.push({
      what: `snapshot of the ${name}, to the faster of the other servers`,
      goal: '≥ 1 × as fast',
      found: `${times.toFixed(2)} ×`,
      met: times >= 1,
    });
  }
  return goals;
}

function fastest(peers: readonly ContenderFigures[], pick: (page: PageFigures) => Spread, page: PageName): number {
  return Math.min(...peers.map((peer) => pick(peer.pages[page]).median));
}

/** The section of the page of figures. */
export function pagesText(figures: PagesFigures, table: (head: string[], rows: string[][]) => string): string {
  const { ours, peers, rounds, within, chromium } = figures;
  const time = ({ median, p95 }: Spread): string => `${median.toFixed(1)} (${p95.toFixed(1)})`;
  const rows = PAGE_NAMES.flatMap((name) =>
    (['click', 'snapshot'] as const).map((what) => [
      `${name}: ${what}`,
      ...[ours, ...peers].map(({ pages }) => {
        const all = time(pages[name][what]);
        if (what === 'click') return all;
        return `${all}, ${pages[name].characters} characters`;
      }),
      ...peers.map((peer) => `${(peer.pages[name][what].median / ours.pages[name][what].median).toFixed(1)} ×`),
    ]),
  );
  return [
    '## Page actions',
    `Three pages (a form, a table of 500 rows, an article), each in a Chromium of its own (${chromium} here). Milliseconds of one call and its answer, median (95th percentile) of ${rounds}, taken in turns: a round of one, a round of the next. Every click was counted on the page, and all of them arrived.`,
    'Ours goes from Node over the browser’s protocol to the extension’s background, through all of the action as a step of a workflow has it (tab, sites, grant, dialogs, element, what comes of it), and back; there is no way in from outside yet. The others are processes on stdio, asked by the MCP SDK’s client.',
    table(
      [
        '',
        ...[ours, ...peers].map(({ name, version }) => (name === ours.name ? name : `${name} ${version}`)),
        ...peers.map(({ name }) => `${name} to ours`),
      ],
      rows,
    ),
    `In the page alone, without any message, a snapshot takes ${PAGE_NAMES.map((name) => `${time(within[name])} (${name})`).join(', ')}.`,
    ...(peers.length === 0
      ? [
          'The other servers were not measured: `npm run bench -- --peers DIR`, with their packages installed in that folder.',
        ]
      : []),
  ].join('\n\n');
}
