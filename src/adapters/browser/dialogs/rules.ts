import type { PageBrowser } from '../browser-api.ts';
import {
  type ANSWER_MARK,
  type DialogAnswer,
  LEASE_MARK,
  readAnswerMark,
  STANDING_MARK,
  writeAnswerMark,
} from './channel.ts';

/** Where the build puts the scripts. */
export const GUARD_FILE = 'dialogs.js';
export const GUARD_NOW_FILE = 'dialogs-now.js';
export const RELAY_FILE = 'dialogs-relay.js';

const GUARD_ID = 'tabloom-dialogs';
const RELAY_ID = 'tabloom-dialogs-relay';
const LEASE_RULE = 1;

/** An answer that a tab's pages of one origin get with their document. */
export interface CarriedAnswer {
  tabId: number;
  origin: string;
  answer: DialogAnswer;
  /** For this page's loading alone, or from then on. */
  mark: typeof ANSWER_MARK | typeof STANDING_MARK;
}

/**
 * Has the browser tell the documents of these tabs, by a header on their responses, that a run drives the tab. Replaces what was told before.
 * Needs no network and no page's help; it holds while the worker is dead, and ends with the browser.
 */
export async function tellTabs(browser: PageBrowser, tabIds: number[], answers: CarriedAnswer[]): Promise<void> {
  const rules = browser.declarativeNetRequest;
  if (!rules) return;
  const removeRuleIds = (await rules.getSessionRules()).map(({ id }) => id);
  const addRules = tabIds.length === 0 ? [] : [rule(LEASE_RULE, tabIds, LEASE_MARK)];
  for (const [i, { tabId, origin, answer, mark }] of answers.entries()) {
    const value = `${mark};desc="${writeAnswerMark(answer)}"`;
    if (tabIds.includes(tabId)) addRules.push(rule(LEASE_RULE + 1 + i, [tabId], value, `|${origin}/`));
  }
  if (removeRuleIds.length > 0 || addRules.length > 0) await rules.updateSessionRules({ removeRuleIds, addRules });
}

/** The answers from then on that tabs were told of, by an earlier life of the worker too. */
export async function standingTold(browser: PageBrowser): Promise<CarriedAnswer[]> {
  const rules = (await browser.declarativeNetRequest?.getSessionRules()) ?? [];
  return rules.flatMap(({ action, condition }) => {
    const [, text] = /^tabloom-standing;desc="(.*)"$/.exec(action.responseHeaders?.[0]?.value ?? '') ?? [];
    const [, origin] = /^\|(.*)\/$/.exec(condition.urlFilter ?? '') ?? [];
    const [tabId] = condition.tabIds ?? [];
    const answer = text === undefined ? undefined : readAnswerMark(text);
    return answer && origin !== undefined && tabId !== undefined
      ? [{ tabId, origin, answer, mark: STANDING_MARK }]
      : [];
  });
}

function rule(id: number, tabIds: number[], value: string, urlFilter?: string) {
  return {
    id,
    action: {
      type: 'modifyHeaders' as const,
      responseHeaders: [{ header: 'server-timing', operation: 'append' as const, value }],
    },
    condition: {
      tabIds,
      resourceTypes: ['main_frame' as const, 'sub_frame' as const],
      ...(urlFilter === undefined ? {} : { urlFilter }),
    },
  };
}

/** Has the scripts in all documents of what is granted, from their start, or with no origins in none. */
export async function registerScripts(browser: PageBrowser, matches: string[]): Promise<void> {
  const { scripting } = browser;
  if (!scripting.getRegisteredContentScripts || !scripting.registerContentScripts) return;
  const there = await scripting.getRegisteredContentScripts({ ids: [GUARD_ID, RELAY_ID] });
  const wanted = [...matches].sort().join(' ');
  const same = there.length === 2 && there.every((one) => [...(one.matches ?? [])].sort().join(' ') === wanted);
  if (same || (there.length === 0 && matches.length === 0)) return;
  if (there.length > 0) await scripting.unregisterContentScripts?.({ ids: there.map(({ id }) => id) });
  if (matches.length === 0) return;
  const everywhere = {
    matches,
    allFrames: true,
    matchOriginAsFallback: true,
    runAt: 'document_start' as const,
    persistAcrossSessions: false,
  };
  await scripting.registerContentScripts([
    { id: RELAY_ID, js: [RELAY_FILE], world: 'ISOLATED', ...everywhere },
    { id: GUARD_ID, js: [GUARD_FILE], world: 'MAIN', ...everywhere },
  ]);
}
