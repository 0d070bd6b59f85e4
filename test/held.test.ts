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
    by: [
      ['test/cases/approvals.test.yaml', 'approval-2, by nested lists'],
      ['test/cases/engine-subworkflows.test.yaml', 'engine-7: a called workflow with two approvals'],
    ],
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
      ['test/engine/acts.test.ts', 'was approved, and the tab has moved by then'],
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
      ['test/cases/review-and-task.test.yaml', 'approval-11, by a task'],
    ],
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
  'engine-1': {
    must: 'a called workflow with an approval beside another branch, over a new process: the join runs once',
    by: [['test/cases/engine-subworkflows.test.yaml', 'engine-1: a called workflow']],
  },
  'engine-2': {
    must: 'a loop of a once step and an approval, decided after a death each time: the step acts once an item',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-2: a loop of a once step'],
      ['test/cases/engine.test.yaml', 'engine-2: a loop of a once step'],
    ],
  },
  'engine-3': {
    must: 'three called workflows decided at different times: a finished one never waits again',
    by: [
      ['test/cases/engine-subworkflows.test.yaml', 'engine-3: three called workflows'],
      ['test/engine/subworkflows.test.ts', 'engine-3: three called workflows, decided at different times over deaths'],
    ],
  },
  'engine-4': {
    must: 'the middle one of three items is decided: the others keep payload and hash, and still wait',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-4: three items side by side'],
      ['test/cases/engine.test.yaml', 'engine-4: three items at an approval'],
      ['test/cases/engine.test.yaml', 'engine-4: decided in the order c, b, a'],
    ],
  },
  'engine-5': {
    must: 'decided through the called run itself after a restart: the run around it goes on',
    by: [
      ['test/engine/subworkflows.test.ts', 'a gate in a called run is decided through that run itself'],
      ['test/cases/engine-subworkflows.test.yaml', 'engine-5: a loop over called workflows'],
    ],
  },
  'engine-6': {
    must: 'two called workflows in a row, two deep: one pending item, and deciding it leads to the second',
    by: [
      ['test/cases/engine-subworkflows.test.yaml', 'engine-6: two called workflows'],
      ['test/engine/subworkflows.test.ts', 'engine-6: two calls in a row, two deep: exactly one question'],
    ],
  },
  'engine-7': {
    must: 'a called workflow with two approvals: the parent goes on only after its end, with its output',
    by: [
      ['test/cases/engine-subworkflows.test.yaml', 'engine-7: a called workflow with two approvals'],
      ['test/cases/engine-subworkflows.test.yaml', 'engine-7: after the second it goes on'],
    ],
  },
  'engine-8': {
    must: 'an approval in each branch, and one beside a wait: the run ends after every branch',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-8: an approval in each of two branches'],
      ['test/cases/engine.test.yaml', 'engine-8: an approval in each of two branches'],
      ['test/cases/engine.test.yaml', 'engine-8: an approval beside a wait'],
    ],
  },
  'engine-9': {
    must: 'an approval beside a slow step: the join runs once, after both',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-9: an approval beside a slow step'],
      ['test/cases/engine.test.yaml', 'engine-9: an approval beside a slow step'],
      ['test/cases/engine.test.yaml', 'engine-9: the slow step ends first'],
    ],
  },
  'engine-10': {
    must: 'a send, then an approval a day later in a new process: sent once, shown as waiting',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-10: a send, then an approval'],
      ['test/cases/engine.test.yaml', 'engine-10: a send, then an approval'],
    ],
  },
  'engine-11': {
    must: 'a short and a long wait, the engine dies in each: both wake in time, once',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-11: a wait of 2 s'],
      ['test/cases/engine.test.yaml', 'engine-11: a wait of 2 s'],
    ],
  },
  'engine-12': {
    must: 'a loop of five fails at the fourth and is retried: finished items stay, five in order',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-12: a loop of five'],
      ['test/cases/engine.test.yaml', 'engine-12: a loop of five'],
      ['test/cases/engine.test.yaml', 'engine-12: the engine dies in the retry'],
      ['test/cases/engine-rerun.test.yaml', 'engine-12: a loop of five'],
    ],
  },
  'engine-13': {
    must: 'a rerun from a renamed step is refused by name, the old record unchanged; one that fits is a new run',
    by: [
      ['test/engine/rerun.test.ts', 'the newest revision: a step that it has renamed is refused by name'],
      ['test/engine/rerun.test.ts', 'whose record stays as it was to the byte'],
      ['test/cases/engine-rerun.test.yaml', 'engine-13: a step that is not there'],
    ],
  },
  'engine-14': {
    must: 'a failed run is run again with the same revision or the newest',
    by: [
      ['test/engine/rerun.test.ts', 'engine-14: a failed run, the workflow corrected'],
      ['test/engine/rerun.test.ts', 'the newest revision: a step that it has renamed is refused by name'],
      ['test/cases/engine-rerun.test.yaml', 'engine-14: a failed run is run again'],
    ],
  },
  'engine-15': {
    must: 'cancelled while it waits, then rerun from that wait: the new run waits properly',
    by: [['test/cases/engine-rerun.test.yaml', 'engine-15: cancelled while it waits']],
  },
  'engine-16': {
    must: 'a skipped step counts as settled: the default join runs once, `join: all` is skipped',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-16: a join after a condition'],
      ['test/cases/engine.test.yaml', 'engine-16: a condition takes one branch'],
      ['test/cases/engine.test.yaml', 'engine-16: both edges of the diamond are cut'],
      ['test/cases/engine.test.yaml', 'engine-16: both edges of the diamond are live'],
    ],
  },
  'engine-17': {
    must: 'final errors have one attempt, passing ones more; Retry-After is kept; an error wrapped keeps its class',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-17: a bug of ours throws a TypeError'],
      ['test/engine/scenarios.test.ts', 'engine-17: a rate limit with Retry-After'],
      ['test/engine/scenarios.test.ts', 'engine-17: an error wrapped by another keeps its class'],
      ['test/cases/engine-faults.test.yaml', 'engine-17: 400, 401, 404, 409, 422'],
      ['test/cases/engine-faults.test.yaml', 'engine-17: 408, 425, 500, 503'],
      ['test/cases/engine-faults.test.yaml', 'engine-17: 429 with Retry-After: 2'],
    ],
  },
  'engine-18': {
    must: 'work past its timeout is told to stop, its late result is recorded and not applied, never two at once',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-18: work outlasts its timeout'],
      ['test/cases/engine-faults.test.yaml', 'engine-18: work that needs 3 s'],
      ['test/cases/engine-faults.test.yaml', 'engine-18: the second attempt is in time'],
    ],
  },
  'engine-19': {
    must: 'rollback undoes b, then a, with a signal of its own, also over a death',
    by: [
      ['test/engine/rollback.test.ts', 'c fails: each list in its written order, the newest step first'],
      [
        'test/engine/rollback.test.ts',
        'cancelled inside c: its work is aborted, and the undoing has signals of its own',
      ],
      ['test/engine/rollback.test.ts', 'the engine dies in and between them'],
      ['test/cases/engine-faults.test.yaml', 'engine-19: c fails'],
      ['test/cases/engine-faults.test.yaml', 'engine-19: the engine dies between the two'],
      ['test/cases/engine-faults.test.yaml', 'engine-19: cancelled inside c'],
    ],
  },
  'engine-20': {
    must: 'a signal before its wait, or in the gap before it sleeps: kept and taken',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-20: a signal in the gap'],
      ['test/engine/scenarios.test.ts', 'engine-20: a signal before its wait'],
      ['test/cases/engine-faults.test.yaml', 'engine-20: two signals of one name'],
      ['test/cases/engine-faults.test.yaml', 'engine-20: a signal at the moment its wait begins'],
    ],
  },
  'engine-21': {
    must: 'equal items have two keys; the same start key gives the first run',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-21: two items with equal content'],
      ['test/engine/scenarios.test.ts', 'engine-21: two starts with one key'],
      ['test/cases/engine-faults.test.yaml', 'engine-21: two items with equal content'],
      ['test/cases/engine-faults.test.yaml', 'engine-21: started again with one key'],
    ],
  },
  'engine-22': {
    must: 'what is no text goes into text as compact JSON, null as nothing',
    by: [
      ['test/cases/engine-values.test.yaml', 'engine-22: an object, a list'],
      ['test/view/odd-errors.test.ts', 'has a code, and a message that is bounded'],
    ],
  },
  'engine-23': {
    must: 'keys with dots, brackets, spaces, other letters: by quotes, and never by accident',
    by: [
      ['test/cases/engine-values.test.yaml', 'engine-23: keys with dots'],
      ['test/cases/engine-values.test.yaml', 'engine-23: a dotted path does not find'],
    ],
  },
  'engine-24': {
    must: '10 000 items: each costs the same, memory stays bounded',
    by: [
      ['test/engine/faults.test.ts', 'engine-24: 10 000 items'],
      ['test/cases/engine-values.test.yaml', 'engine-24: ten thousand items'],
    ],
  },
  'engine-25': {
    must: 'lists of 0, 1 and 3 items: as many rounds',
    by: [
      ['test/engine/scenarios.test.ts', "'engine-25: a loop over %i items"],
      ['test/cases/engine-values.test.yaml', 'engine-25: no item'],
      ['test/cases/engine-values.test.yaml', 'engine-25: one item, that is null'],
      ['test/cases/engine-values.test.yaml', 'engine-25: three items'],
    ],
  },
  'engine-26': {
    must: '"1" is not 1, by CEL and by `equals`',
    by: [
      ['test/cases/engine-faults.test.yaml', 'engine-26: '],
      ['test/cases/preflight-types.test.yaml', '1 is compared with a text'],
    ],
  },
  'engine-27': {
    must: 'a recipe hangs on every attempt: its fallback stands in, marked degraded',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-27: a step with a fallback hangs'],
      ['test/cases/engine-faults.test.yaml', 'engine-27: a recipe hangs'],
    ],
  },
  'engine-28': {
    must: 'a missing value is an error with step, field and path, never an empty text',
    by: [
      ['test/engine/scenarios.test.ts', 'engine-28: an optional input of a recipe'],
      ['test/engine/scenarios.test.ts', 'engine-28: a field that is missing'],
      ['test/cases/engine-values.test.yaml', "engine-28: a recipe's text names"],
      ['test/cases/engine-values.test.yaml', 'engine-28: a field that a step'],
    ],
  },
  'engine-29': {
    must: 'unknown type, key and action three deep: all at once, with pointer, line and column',
    by: [
      ['test/preflight/preflight.test.ts', 'engine-29: the same in a file'],
      ['test/cases/engine-values.test.yaml', 'engine-29: an unknown type'],
    ],
  },
  'data-1': {
    must: 'switched off stays off, over an export, an import, a reload; what is imported arrives off',
    by: [
      ['test/app/triggers.test.ts', 'imported triggers arrive off and start nothing'],
      ['test/app/triggers.test.ts', 'data-1: the workflow switched off, and the worker is another one'],
      ['test/app/workflow-source.test.ts', 'data-1: switched off'],
      ['test/app/runtime.test.ts', 'imported off, switched on'],
      ['test/e2e/app-ui.spec.ts', 'it is saved switched off'],
    ],
  },
  'data-2': {
    must: 'torn down in the middle of an upgrade of 200 workflows: the old state or the new one, whole',
    by: [
      ['test/e2e/stores.spec.ts', 'in the middle of an upgrade of 200 workflows'],
      ['test/adapters/dexie/migration.test.ts', 'an upgrade that fails in the middle'],
    ],
  },
  'data-3': {
    must: 'CSV with any text: UTF-8 with a mark where asked, quoted, no formula, the same rows back',
    by: [
      [
        'test/operations/operations.test.ts',
        'csv.parse of csv.format gives the same rows, and no value begins a formula',
      ],
      ['test/cases/engine-values.test.yaml', 'data-3: rows with accents'],
    ],
  },
  'data-4': {
    must: 'rows are collected over a failure, a retry and a death: each is there once',
    by: [['test/cases/engine-values.test.yaml', 'data-4: rows are collected']],
  },
  'data-5': {
    must: 'a source that is edited keeps its comments, and no edge is left to what is gone',
    by: [
      ['test/app/workflow-source.test.ts', 'data-5: comments and the order of the file survive'],
      ['test/app/workflow-source.test.ts', 'data-5: a step is removed that another depends on'],
      ['test/e2e/app-ui.spec.ts', 'the source: unsaved changes survive'],
    ],
    open: 'the graph beside the source: there is no graph editor yet',
  },
  'page-1': {
    must: 'a page drawn anew in another order: the act lands on the element meant, or fails',
    by: [['test/e2e/actions-pointer.spec.ts', 'page-1: drawn anew with other ids and in another order']],
  },
  'page-2': {
    must: 'a field that a framework controls and that held text: the server gets exactly the text given',
    by: [['test/e2e/actions-fields.spec.ts', 'page-2: a field that a framework controls and that held text']],
  },
  'page-3': {
    must: 'a closed shadow root in a frame in a frame is reached; an origin that is not granted is named',
    by: [
      [
        'test/e2e/actions-tabs.spec.ts',
        'a button in a closed shadow root, in a frame of another origin, in another frame',
      ],
      [
        'test/e2e/actions-firefox.spec.ts',
        'frames: of the same site and of others, nested, inline, in a closed shadow root',
      ],
    ],
  },
  'page-4': {
    must: 'dialogs at once, late and on leaving are answered by the policy and told; other tabs go on',
    by: [
      ['test/e2e/dialogs.spec.ts', 'alert, confirm, prompt and print at a click'],
      ['test/e2e/dialogs.spec.ts', 'a dialog that comes late: the last act has answered it'],
      ['test/e2e/dialogs.spec.ts', 'a page that a person has touched asks not to be left'],
      ['test/e2e/dialogs.spec.ts', 'other tabs go on while dialogs open in one'],
      ['test/e2e/dialogs-firefox.spec.ts', 'a confirm at a click, one by a timer, one while the page loads'],
    ],
    open: 'over MCP: its clients cannot drive pages by single actions yet',
  },
  'page-5': {
    must: 'what is below the fold or see-through until it is scrolled to is scrolled to, then judged',
    by: [['test/e2e/actions-pointer.spec.ts', 'page-5: below the fold of a box, and see-through']],
  },
  'page-6': {
    must: 'what covers the target is named, and gets no click',
    by: [['test/e2e/actions-pointer.spec.ts', 'page-6: a transparent overlay or a dialog over the target is named']],
  },
  'page-7': {
    must: 'a tab that the browser has dropped is brought back, or that is told; listing does not hang',
    by: [
      ['test/e2e/actions-tabs.spec.ts', 'it is listed at once, and brought back by the next action'],
      ['test/adapters/browser/driver.test.ts', 'a page that the browser has put to sleep behind another one'],
      ['test/e2e/actions-firefox.spec.ts', 'a tab that Firefox has put to sleep is listed'],
    ],
  },
  'page-8': {
    must: 'a download ends when it is there; one that never ends by its timeout; a bare file name is kept',
    by: [
      ['test/e2e/actions-files.spec.ts', 'a path in the suggested name: a bare file name is kept'],
      ['test/e2e/actions-files.spec.ts', 'one that never ends, one that is too large'],
    ],
  },
  'page-9': {
    must: 'the bound of the step counts, and nothing within caps it',
    by: [['test/adapters/browser/driver.test.ts', 'timeout: 120s, and the page needs 50 s']],
  },
  'page-10': {
    must: 'the second alternative matches: told, and kept by the person as a new revision',
    by: [['test/e2e/prefer.spec.ts', 'found by the second alternative: the run says so, and kept by a click']],
  },
  'page-11': {
    must: 'a debugger at the tab disturbs no run, and is disturbed by none',
    by: [['test/e2e/actions-trust.spec.ts', 'page-11: a debugger is attached to the tab']],
  },
  'page-12': {
    must: 'another extension and broken built-ins: both go on, and see nothing of ours',
    by: [
      ['test/e2e/dialogs.spec.ts', 'page-12: a page that holds another extension’s frame'],
      ['test/e2e/actions-tabs.spec.ts', 'nothing of ours is in the world of the page'],
    ],
  },
  'page-13': {
    must: 'the extension is updated while a page that it drove stays open: quiet, and a new run works there',
    by: [['test/e2e/takeover.spec.ts', 'a newer version is put in place and loaded in mid-run']],
  },
  'page-14': {
    must: 'no run asks which window has the focus: it opens its own, unfocused, and tells what happens without one',
    by: [['test/e2e/actions-reading.spec.ts', "navigate opens a window of the run's own, unfocused"]],
  },
  'page-15': {
    must: 'a secret is typed on a page of the sites only; one that is missing types nothing',
    by: [['test/e2e/actions-trust.spec.ts', 'page-15: a secret is typed where the run may be']],
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

  it('the list is whole: every approval-*, life-*, engine-*, data-* and page-* scenario, but life-3, which has a spec of its own', () => {
    const ids = Object.entries({ approval: 11, life: 2, engine: 29, data: 5, page: 15 }).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, n) => `${kind}-${n + 1}`),
    );
    expect(Object.keys(CASES)).toEqual(ids);
  });
});
