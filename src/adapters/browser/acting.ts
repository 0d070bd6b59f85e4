import type { RunTab } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageCall } from '../../ports/pages.ts';
import type { BrowserTab, PageBrowser } from './browser-api.ts';
import type { DialogAnswer } from './dialogs/channel.ts';
import type { Dialogs } from './dialogs/dialogs.ts';
import type { Gate, GateRules } from './gate.ts';
import type { PageScripts } from './page-scripts.ts';
import type { Readings } from './readings.ts';
import type { TabHost } from './tab-host.ts';
import type { Allowance } from './time.ts';

/** What the parts of the driver share. */
export interface Driver {
  browser: PageBrowser;
  clock: Clock;
  gate: Gate;
  scripts: PageScripts;
  host: TabHost;
  dialogs: Dialogs;
  readings: Readings;
}

/** One action on its way in one tab. */
export interface Acting {
  call: PageCall;
  tab: RunTab;
  rules: GateRules;
  time: Allowance;
  read: boolean;
  /** The act's answer to dialogs, with its secrets in place. */
  answer?: DialogAnswer;
  /** The only origin whose document may answer, where that is known before. */
  origin?: string;
  /** The tab as it was checked right before, and when (see the clock): the first look into its page needs no other check. */
  checked?: { found: BrowserTab; at: number };
  /** Mark of the document that has answered last in the tab's top frame. */
  mark?: string;
  /** What is noticed on the way, for the step's details; shared by all that the action does. */
  noticed?: Noticed;
}

/** Beside its output. */
export interface Noticed {
  /** It has waited until a person had let the page alone. */
  yielded: boolean;
}
