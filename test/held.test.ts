import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Which test holds which scenario of the list of faults that users of similar products reported. Each entry names a file and a piece of a test's
 * title or body that stands there literally; a test that is renamed or removed shows here. What is not held yet says why.
 */

const ROOT = resolve(import.meta.dirname, '..');

interface Held {
  /** What must hold, in short. */
  must: string;
  by: [file: string, text: string][];
  /** The part of it that no test can hold yet. */
  open?: string;
}

const CASES: Record<string, Held> = {
  'approval-1': {
    must: 'two branches of two approvals: pending are exactly the next of each, a decided one is not announced again',
    by: [
      ['test/engine/scenarios.test.ts', 'approval-1: two branches of two approvals'],
      ['test/cases/approvals.test.yaml', 'approval-1: two branches with two approvals each'],
    ],
  },
  'approval-2': {
    must: 'an answer is used for one passage only',
    by: [['test/cases/approvals.test.yaml', 'approval-2, by nested lists']],
    open: 'by a subworkflow: there is no step type `subworkflow` yet; nested lists stand in for it',
  },
  'approval-3': {
    must: 'the next round of a loop waits for its own decision',
    by: [
      ['test/engine/scenarios.test.ts', 'approval-3: an approval inside a loop'],
      ['test/cases/approvals.test.yaml', 'approval-3: an approval in a loop'],
    ],
  },
  'approval-4': {
    must: 'expired, not rejected; the fallback has the code; nothing runs as if approved',
    by: [
      ['test/e2e/approvals.spec.ts', 'approval-4: nobody decides in time'],
      ['test/engine/scenarios.test.ts', 'approval-4: an approval expires and has a fallback list'],
      ['test/cases/approvals.test.yaml', 'approval-4: nobody decides in time'],
    ],
  },
  'approval-5': {
    must: 'the same click three times: one decision, one effect, the second approval is pending',
    by: [
      ['test/e2e/approvals.spec.ts', 'approval-5: the same approving click three times'],
      ['test/engine/scenarios.test.ts', 'approval-5: the same click three times'],
      ['test/cases/approvals.test.yaml', 'approval-5: the same yes three times'],
    ],
  },
  'approval-6': {
    must: 'what is approved is hashed again at the act; another one is not done and asked about again',
    by: [
      ['test/e2e/changed-text.spec.ts', 'somebody takes the tab to another origin while the approval waits'],
      ['test/e2e/changed-text.spec.ts', 'the messages are edited in the popup: a new hash'],
      ['test/engine/covers.test.ts', 'what the act is made from'],
      ['test/cases/approvals.test.yaml', 'approval-6: edited before the yes'],
    ],
  },
  'approval-7': {
    must: 'always for a reversible act: no prompt after a restart, listed, can be withdrawn; an irreversible act asks',
    by: [
      ['test/e2e/approvals.spec.ts', 'approval-7: always for a reversible act'],
      ['test/engine/rules.test.ts', 'approval-7: a standing rule'],
      ['test/e2e/approvals-ui.spec.ts', 'ticked: says what it will cover'],
    ],
  },
  'approval-8': {
    must: 'closing, leaving or minimising the popup is no decision; the badge shows it, the comment is kept',
    by: [
      // One test for each way of leaving.
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as it stands in the file
      ['test/e2e/approvals.spec.ts', 'approval-8: the popup with a typed comment is ${how}'],
      ['test/e2e/popup-ui.spec.ts', 'keys: Ctrl+Enter approves only with the focus inside the decision; Escape'],
    ],
  },
  'approval-9': {
    must: 'five approved ahead go out under their own hashes, each once; the sixth waits and calls the person',
    by: [
      ['test/e2e/approvals.spec.ts', 'approval-9: five drafts are approved together'],
      ['test/engine/batch.test.ts', 'five approved in the evening go out in the night'],
      ['test/e2e/approvals-ui.spec.ts', 'five of one step: inert until each was read to its end'],
      ['test/cases/approvals.test.yaml', 'approval-9: five approved in the evening'],
    ],
  },
  'approval-10': {
    must: 'the browser is killed at an approval: same hash and expiry, deciding leads on',
    by: [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as it stands in the file
      ['test/e2e/restart.spec.ts', 'the browser is ${how} while the approval waits'],
      ['test/engine/scenarios.test.ts', 'approval-10: the engine dies at an approval'],
      ['test/cases/approvals.test.yaml', 'approval-10: the engine dies at an approval'],
    ],
  },
  'approval-11': {
    must: 'answered or cancelled elsewhere: gone in all surfaces within a second; a late answer is told who and when',
    by: [
      ['test/e2e/approvals.spec.ts', 'approval-11: open in popup, side panel and app page'],
      ['test/engine/scenarios.test.ts', 'approval-11: cancelled meanwhile: the approval and a late answer say'],
      ['test/engine/scenarios.test.ts', 'approval-11: decided, the item forgotten, answered again'],
      ['test/e2e/approvals-ui.spec.ts', 'a late answer: it is told who decided and when'],
    ],
    open: 'the same for a task: there is no step type `task` yet',
  },
  'life-1': {
    must: 'killed during the second of three steps: resumed, or waiting with a reason',
    by: [
      ['test/e2e/life.spec.ts', 'life-1: the browser is killed during the second of three steps'],
      ['test/e2e/life.spec.ts', 'life-1: killed while a step that must not happen twice was at work'],
      ['test/cases/approvals.test.yaml', 'life-1: the engine dies during the second of three steps'],
    ],
  },
  'life-2': {
    must: 'the surface that started a run is closed in its first step: the run goes on to its end',
    by: [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as it stands in the file
      ['test/e2e/life.spec.ts', 'life-2: the ${name} starts a run and is closed in its first step'],
    ],
  },
};

describe('scenarios that are held', () => {
  for (const [id, { must, by }] of Object.entries(CASES)) {
    it(`${id}: ${must}`, () => {
      expect(by.length).toBeGreaterThan(0);
      const missing = by.filter(([file, text]) => {
        const path = resolve(ROOT, file);
        return !existsSync(path) || !readFileSync(path, 'utf8').includes(text);
      });
      expect(missing).toEqual([]);
    });
  }

  it('the list is whole: every approval-* and life-* scenario but life-3, which has a spec of its own', () => {
    const ids = [...Array.from({ length: 11 }, (_, n) => `approval-${n + 1}`), 'life-1', 'life-2'];
    expect(Object.keys(CASES)).toEqual(ids);
  });
});
