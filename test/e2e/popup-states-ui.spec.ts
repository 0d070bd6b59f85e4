import type { SurfaceState } from '../../src/app/protocol.ts';
import { expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import { BUSY, EMPTY, workflow } from '../support/ui-harness-fixtures.ts';

/** States of the surfaces that are rare, and must be as readable as the everyday ones. */

const MESSAGE = 'Restart the browser: its store does not answer.';
const STATES: [name: string, state: SurfaceState, shown: string][] = [
  [
    'a store that takes nothing',
    { ...BUSY, approvals: [], waiting: [], storage: { full: false, message: MESSAGE } },
    MESSAGE,
  ],
  [
    'a step of which nobody knows whether it happened',
    { ...EMPTY, waiting: BUSY.waiting.filter(({ kind }) => kind === 'recovery') },
    'Did this step happen?',
  ],
];
const SURFACES = [
  ['popup', 380, 'light'],
  ['popup', 380, 'dark'],
  ['sidepanel', 320, 'light'],
  ['sidepanel', 320, 'dark'],
] as const;

for (const [name, state, shown] of STATES)
  for (const [surface, width, scheme] of SURFACES)
    test(`${name}, ${surface}, ${scheme}: said, accessible, nothing is cut off`, async ({ open }) => {
      const page = await open(surface, { answers: { 'state.get': state }, width, height: 560, scheme });
      await expect(page.getByText(shown)).toBeVisible();
      await expectAccessible(page);
      await expectNoSideScroll(page);
    });

test('workflows kept with errors: the popup says why each cannot be started', async ({ open }) => {
  const workflows = [workflow('tidy-up', { draft: 'Add steps: there are none.' }), workflow('weekly-expenses')];
  const page = await open('popup', { answers: { 'state.get': { ...EMPTY, workflows } }, width: 380, height: 560 });
  await expect(page.getByTestId('draft')).toContainText('Add steps: there are none.');
  await expectAccessible(page);
});
