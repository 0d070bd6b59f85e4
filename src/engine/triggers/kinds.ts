import type { TriggerType } from '../../model/triggers.ts';

/** Whether a trigger starts runs while nobody is asked: what its input lacks cannot be asked for then. */
export function unattended(type: TriggerType, auto: boolean): boolean {
  return type === 'schedule' || type === 'task_event' || (type === 'page' && auto);
}

/** Whether the person has to switch a trigger on. Starting by hand is what every workflow has; MCP clients have rights of their own. */
export function switchable(type: TriggerType): boolean {
  return type !== 'manual';
}
