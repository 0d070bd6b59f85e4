import { MENU_PLACES, type MenuPlace } from '../../model/triggers.ts';
import type { MenuInfo } from '../browser-api.ts';
import type { KnownTrigger } from './known.ts';
import type { Base, Triggers } from './triggers.ts';

/** UX: one parent with so many entries; a longer menu helps nobody. */
const MOST = 6;
const PARENT = 'tabloom';

/** The entries of the context menu, made anew when triggers are switched or their workflows change. */
export class MenuTriggers {
  readonly #app: Base;
  readonly #triggers: Triggers;
  #made: Promise<unknown> = Promise.resolve();
  #shown = '';

  constructor(app: Base, triggers: Triggers) {
    this.#app = app;
    this.#triggers = triggers;
  }

  /** Makes the entries of what is on now, if they are other ones. */
  show(): void {
    const menus = this.#app.browser.contextMenus;
    if (!menus) return;
    const entries = this.#entries();
    const key = JSON.stringify(entries);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#made = this.#made
      .then(async () => {
        await menus.removeAll();
        const contexts = MENU_PLACES.filter((place) => entries.some((entry) => entry.contexts.includes(place)));
        if (entries.length === 0) return;
        const title = this.#app.attention.words('app.name');
        menus.create({ id: PARENT, title, contexts });
        for (const entry of entries) menus.create({ ...entry, parentId: PARENT });
      })
      .catch(() => {
        this.#shown = '';
      });
  }

  /** The trigger of an entry that was clicked on, and what it was clicked on. */
  clicked(
    info: MenuInfo,
    title: string | undefined,
  ): { one: KnownTrigger; fields: Record<string, string | undefined> } | undefined {
    const one = this.#on().find((each) => idOf(each) === info.menuItemId);
    const { pageUrl: url, selectionText: selection, linkUrl, srcUrl } = info;
    return one && { one, fields: { url, title, selection, linkUrl, srcUrl } };
  }

  #on(): KnownTrigger[] {
    return this.#triggers.known.on('context_menu').sort((a, b) => a.workflow.name.localeCompare(b.workflow.name));
  }

  #entries(): { id: string; title: string; contexts: MenuPlace[] }[] {
    const all = this.#on();
    return all.slice(0, MOST).map((one) => {
      const { workflow, trigger } = one;
      const alone = all.filter((each) => each.workflow.workflowId === workflow.workflowId).length === 1;
      // In titles `%s` stands for the selection and `&` marks a key.
      const title = (alone ? workflow.name : `${workflow.name} (${trigger.id})`)
        .replaceAll('&', '&&')
        .replaceAll('%', '%\u200b');
      return { id: idOf(one), title, contexts: trigger.type === 'context_menu' ? (trigger.on ?? ['page']) : [] };
    });
  }
}

function idOf({ workflow, trigger }: KnownTrigger): string {
  return `trigger/${workflow.workflowId}/${trigger.id}`;
}
