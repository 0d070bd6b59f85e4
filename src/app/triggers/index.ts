import type { Random } from '../../ports/clock.ts';
import type { Commit } from '../../ports/store.ts';
import type { BrowserPageTab, MenuInfo } from '../browser-api.ts';
import { TriggerDesk } from './desk.ts';
import type { KnownTrigger } from './known.ts';
import { MenuTriggers } from './menus.ts';
import { PageTriggers } from './pages.ts';
import { type Base, Triggers } from './triggers.ts';

export interface TriggerServiceParts {
  random: Pick<Random, 'id'>;
  /** The earliest time at which the triggers want to be woken, epoch milliseconds. */
  dueAt(at: number | undefined): void;
  log?(message: string): void;
}

/** All that starts runs beside the person's own start: schedules, pages, the context menu, shortcuts, the address bar, tasks. */
export class TriggerService {
  readonly desk: TriggerDesk;
  readonly #app: Base;
  readonly #triggers: Triggers;
  readonly #pages: PageTriggers;
  readonly #menus: MenuTriggers;

  constructor(app: Base, parts: TriggerServiceParts) {
    this.#app = app;
    // What a schedule means that names no zone.
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.#triggers = new Triggers(app, { ...parts, zone });
    this.#pages = new PageTriggers(app, this.#triggers);
    this.#menus = new MenuTriggers(app, this.#triggers);
    this.desk = new TriggerDesk(app, this.#triggers, this.#pages, zone);
  }

  /** After recovery. */
  async boot(): Promise<void> {
    await this.#triggers.boot();
    this.#triggers.onChange = () => this.#show();
    this.#show();
  }

  stop(): void {
    this.#triggers.stop();
  }

  /** An alarm went off, or time has passed. */
  tick(): Promise<void> {
    return this.#triggers.pump();
  }

  committed(commit: Commit): void {
    this.#triggers.committed(commit);
  }

  /** A workflow was imported or switched. */
  changed(): Promise<void> {
    return this.#triggers.changed();
  }

  /** A workflow was removed. */
  forget(workflowId: string): Promise<void> {
    return this.#triggers.forget(workflowId);
  }

  /** Grants were added or removed: pages can be looked at, or no longer. */
  granted(): Promise<void> {
    return this.#pages.lookAtAll();
  }

  async tabUpdated(tabId: number, url: string): Promise<void> {
    await this.#pages.updated(tabId, url);
    if (this.#app.updates.listeners > 0) this.#app.updates.push(['workflows']);
  }

  tabClosed(tabId: number): Promise<void> {
    return this.#pages.closed(tabId);
  }

  async menuClicked(info: MenuInfo, tab: BrowserPageTab | undefined): Promise<void> {
    const clicked = this.#menus.clicked(info, tab?.title);
    if (clicked) await this.desk.attended(clicked.one, clicked.fields, tab?.id);
  }

  /** A shortcut that the person has bound. */
  async slot(slot: number, tab: BrowserPageTab | undefined): Promise<void> {
    const one = this.#triggers.known
      .on('command')
      .find(({ trigger }) => trigger.type === 'command' && trigger.slot === slot);
    if (one) await this.desk.attended(one, { url: tab?.url, title: tab?.title }, tab?.id);
  }

  /** Triggers of type `mcp` that are on: their workflows are tools of MCP clients. */
  tools(): KnownTrigger[] {
    return this.#triggers.known.on('mcp');
  }

  /** Keywords of the address bar that begin with what is typed. */
  suggest(text: string): { content: string; description: string }[] {
    const [typed = ''] = text.trimStart().split(/\s+/);
    return this.#triggers.known.on('omnibox').flatMap(({ workflow, trigger }) => {
      if (trigger.type !== 'omnibox' || !trigger.keyword.startsWith(typed)) return [];
      const rest = text.trimStart().slice(typed.length).trim();
      return [
        { content: `${trigger.keyword} ${rest}`.trim(), description: plain(`${trigger.keyword} – ${workflow.name}`) },
      ];
    });
  }

  /** What was entered in the address bar: a keyword, then the text. */
  async entered(text: string): Promise<void> {
    const [, keyword = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    const one = this.#triggers.known
      .on('omnibox')
      .find(({ trigger }) => trigger.type === 'omnibox' && trigger.keyword === keyword);
    if (one) await this.desk.attended(one, { text: rest.trim() }, undefined);
  }

  #show(): void {
    this.#menus.show();
    void this.#pages.lookAtAll().catch(() => undefined);
  }
}

/** Suggestions of the address bar are XML. */
function plain(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
