import type { MenuPlace, TriggerType } from '../model/triggers.ts';
import type { Translator } from './messages/index.ts';

/** What is said of a trigger beside its type. */
export interface TriggerFacts {
  type: TriggerType;
  about?: Record<string, string>;
  places?: MenuPlace[];
}

/** When or where a trigger starts its workflow, in one sentence. */
export function triggerAbout({ type, about = {}, places = [] }: TriggerFacts, tr: Translator): string {
  const of = (name: string): string => about[name] ?? '';
  switch (type) {
    case 'manual':
      return tr.t('triggers.manualAbout');
    case 'schedule':
      return tr.t('triggers.scheduleAbout', { cron: of('cron'), zone: of('zone') });
    case 'page': {
      const words = tr.t('triggers.pageAbout', { match: of('match') });
      return about.selector === undefined
        ? words
        : `${words}, ${tr.t('triggers.pageSelector', { selector: about.selector })}`;
    }
    case 'command':
      return about.shortcut === undefined
        ? tr.t('triggers.commandUnbound', { slot: of('slot') })
        : tr.t('triggers.commandAbout', { slot: of('slot'), shortcut: about.shortcut });
    case 'omnibox':
      return tr.t('triggers.omniboxAbout', { keyword: of('keyword') });
    case 'context_menu':
      return tr.t('triggers.menuAbout', { places: tr.list(places.map((place) => tr.t(`triggers.place.${place}`))) });
    case 'task_event':
      return about.workflow === undefined
        ? tr.t('triggers.taskAny')
        : tr.t('triggers.taskAbout', { workflow: about.workflow });
    case 'mcp':
      return tr.t('triggers.mcpAbout');
  }
}
