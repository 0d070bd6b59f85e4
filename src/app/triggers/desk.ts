import { redactJson } from '../../engine/secrets/index.ts';
import { mapInput, triggerRoot } from '../../engine/triggers/input.ts';
import { switchable } from '../../engine/triggers/kinds.ts';
import { lookAtSchedule } from '../../engine/triggers/rules.ts';
import { originsOf } from '../../engine/values/sites.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { TriggerDefinition } from '../../model/triggers.ts';
import { byHand } from '../handlers/runs.ts';
import type { Refusal, Requests, TriggerNoteRow, TriggerRow } from '../protocol.ts';
import { openApp } from '../surfaces.ts';
import type { KnownTrigger } from './known.ts';
import type { PageTriggers } from './pages.ts';
import { inputOf, startsAtOnce } from './ready.ts';
import type { Base, Triggers } from './triggers.ts';

/** Run forms that a trigger has opened and nobody has sent yet; gone with the browser. */
const FORMS = 'tabloom.forms';
const MOST_FORMS = 20;

interface Form {
  workflowId: string;
  triggerId: string;
  root: JsonObject;
  tabId?: number;
}

/** What people do with triggers: see them, switch them, start what they offer. */
export class TriggerDesk {
  readonly #app: Base;
  readonly #triggers: Triggers;
  readonly #pages: PageTriggers;
  readonly #zone: string;

  constructor(app: Base, triggers: Triggers, pages: PageTriggers, zone: string) {
    this.#app = app;
    this.#triggers = triggers;
    this.#pages = pages;
    this.#zone = zone;
  }

  /** The triggers of a workflow, as they are written. */
  async list(workflowId: string): Promise<TriggerRow[]> {
    const { known } = this.#triggers;
    const workflow = known.workflow(workflowId);
    if (!workflow) return [];
    const shortcuts = (await this.#app.browser.commands?.getAll().catch(() => [])) ?? [];
    return known.of(workflow).map((one) => this.#row(one, shortcuts));
  }

  /** What triggers have to say to the person, newest first. */
  notes(): TriggerNoteRow[] {
    return this.#triggers.known
      .all()
      .flatMap(({ workflow, trigger, state }): TriggerNoteRow[] => {
        const about = { workflowId: workflow.workflowId, workflowName: workflow.name, triggerId: trigger.id };
        if (state.off) return [{ ...about, kind: 'off', at: state.off.at, failures: state.off.failures }];
        return state.note ? [{ ...about, kind: 'refused', ...state.note }] : [];
      })
      .sort((a, b) => b.at - a.at);
  }

  /** What can be started on the page in a tab. */
  async offers(tabId: number): Promise<{ workflowId: string; triggerId: string }[]> {
    const offers = await this.#pages.offers(tabId);
    return offers.map(({ one }) => ({ workflowId: one.workflow.workflowId, triggerId: one.trigger.id }));
  }

  /** Switches a trigger, or with an origin pattern whether it may start by itself there. @returns why not, where it was refused */
  async switch({ workflowId, triggerId, on, origin }: Requests['trigger.switch']['in']): Promise<Refusal | undefined> {
    const { known, book } = this.#triggers;
    const one = known.find(workflowId, triggerId);
    if (!one || !switchable(one.trigger.type))
      return refusal('trigger_missing', `There is no trigger ${triggerId} to switch; look at the workflow again.`);
    const rival = on ? this.#rival(one) : undefined;
    if (rival)
      return refusal(
        'trigger_taken',
        `Switch off ${rival.trigger.id} of ${rival.workflow.name} first: it has the same place.`,
      );
    const now = this.#app.clock.now();
    await this.#triggers.inTurn(() =>
      book.change(workflowId, triggerId, (state) => {
        const { off: _, note: __, ...kept } = state;
        if (origin !== undefined) {
          const others = (state.origins ?? []).filter((each) => each !== origin);
          return { ...state, origins: on ? [...others, origin] : others };
        }
        const def = known.hash(one.trigger);
        // Another definition than the one that was agreed to: the sites on which it starts by itself are asked about anew, too.
        const origins = state.def === def ? (state.origins ?? []) : [];
        return on ? { ...kept, on, def, origins, since: now, past: now, waiting: [] } : { ...kept, on, waiting: [] };
      }),
    );
    await this.#triggers.changed();
    return undefined;
  }

  /** The person has read what a trigger had to say. */
  async dismiss(workflowId: string, triggerId: string): Promise<void> {
    if (!this.#triggers.known.find(workflowId, triggerId)) return;
    await this.#triggers.inTurn(() =>
      this.#triggers.book.change(workflowId, triggerId, ({ off: _, note: __, ...state }) => state),
    );
    await this.#triggers.changed();
  }

  /** A trigger that a person has just used: it starts, or its run form is opened with what is known. */
  async attended(
    one: KnownTrigger,
    fields: Record<string, Json | undefined>,
    tabId: number | undefined,
  ): Promise<void> {
    const { workflow, trigger } = one;
    const root = redactJson(triggerRoot(trigger, fields)) as JsonObject;
    const secret = this.#triggers.secretIn(one, fields);
    if (secret) {
      await this.#triggers.inTurn(() => this.#triggers.note(one, secret.code, secret.message));
      return;
    }
    if (await startsAtOnce(this.#app, workflow.definition, inputOf(workflow.definition, trigger, root))) {
      const tab = tabId === undefined ? undefined : { id: tabId, session: this.#app.session };
      await this.#triggers.fire(one, fields, { ...(tab && { tab }) });
      return;
    }
    const id = `f${this.#app.clock.now()}-${trigger.id}`;
    const form = {
      workflowId: workflow.workflowId,
      triggerId: trigger.id,
      root,
      ...(tabId !== undefined && { tabId }),
    };
    const forms = Object.entries(await this.#forms()).slice(1 - MOST_FORMS);
    await this.#app.browser.storage.session.set({ [FORMS]: Object.fromEntries([...forms, [id, form]]) });
    await openApp(this.#app.browser, `#/workflows/${workflow.workflowId}/start/${encodeURIComponent(id)}`);
  }

  /** What a run form begins with: what its trigger gives, and no more. `null` where there is no such trigger or form any more. */
  async form(asked: Requests['trigger.form']['in']): Promise<Requests['trigger.form']['out']> {
    const found = await this.#about(asked);
    if (!found) return null;
    const { workflowId, triggerId, root, trigger } = found;
    const input = mapInput(trigger?.input, root);
    return { workflowId, ...(triggerId !== undefined && { triggerId }), input };
  }

  /** Starts what a trigger offers, with the input that the person has seen. */
  async start(asked: Requests['trigger.start']['in']): Promise<Requests['trigger.start']['out']> {
    const found = await this.#about(asked);
    const one =
      found?.triggerId === undefined ? undefined : this.#triggers.known.find(found.workflowId, found.triggerId);
    if (!found || !one?.on)
      return {
        refused: refusal('trigger_missing', 'Start the workflow by hand: this trigger is no longer there, or is off.'),
      };
    const outcome = await this.#triggers.begin(one, found.root, asked.input, found.tabId);
    switch (outcome.is) {
      case 'started':
        return { runId: outcome.runId };
      case 'wait':
        return { queued: true };
      case 'refused':
        return { refused: refusal(outcome.code, outcome.message) };
      default:
        return { refused: refusal('internal', 'Try again: the run could not be stored.') };
    }
  }

  async #about({
    workflowId,
    triggerId,
    tabId,
    form,
  }: Requests['trigger.form']['in']): Promise<
    | { workflowId: string; triggerId?: string; trigger?: TriggerDefinition; root: JsonObject; tabId?: number }
    | undefined
  > {
    if (form !== undefined) {
      const forms = await this.#forms();
      const kept = Object.hasOwn(forms, form) ? forms[form] : undefined;
      const one =
        kept?.workflowId === workflowId ? this.#triggers.known.find(kept.workflowId, kept.triggerId) : undefined;
      return kept && one && { ...kept, trigger: one.trigger };
    }
    const tab = tabId === undefined ? {} : { tabId };
    if (triggerId === undefined) {
      const definition = this.#triggers.known.workflow(workflowId)?.definition;
      const own = definition?.triggers?.find(({ type }) => type === 'manual');
      return (
        definition && own && { workflowId, trigger: own, root: byHand(definition, await this.#page(tabId)), ...tab }
      );
    }
    const one = this.#triggers.known.find(workflowId, triggerId);
    if (!one) return undefined;
    const offers = one.trigger.type === 'page' && tabId !== undefined ? await this.#pages.offers(tabId) : [];
    const look = offers.find(
      (offer) => offer.one.workflow.workflowId === workflowId && offer.one.trigger.id === triggerId,
    )?.look;
    const fields = { url: look?.url, title: look?.title, matched: look?.matched };
    return { workflowId, triggerId, trigger: one.trigger, root: triggerRoot(one.trigger, fields), ...tab };
  }

  async #page(tabId: number | undefined): Promise<{ url: string; title: string } | undefined> {
    if (tabId === undefined) return undefined;
    const tab = await this.#app.browser.tabs.get(tabId).catch(() => undefined);
    return tab?.url === undefined ? undefined : { url: tab.url, title: tab.title ?? '' };
  }

  async #forms(): Promise<Record<string, Form>> {
    const kept = (await this.#app.browser.storage.session.get(FORMS))[FORMS];
    return isObject(kept) ? (kept as unknown as Record<string, Form>) : {};
  }

  /** Another trigger that is on and has the only place of its kind. */
  #rival({ workflow, trigger }: KnownTrigger): KnownTrigger | undefined {
    return this.#triggers.known
      .all()
      .find(
        (other) =>
          other.on &&
          !(other.workflow.workflowId === workflow.workflowId && other.trigger.id === trigger.id) &&
          ((trigger.type === 'command' && other.trigger.type === 'command' && other.trigger.slot === trigger.slot) ||
            (trigger.type === 'omnibox' &&
              other.trigger.type === 'omnibox' &&
              other.trigger.keyword === trigger.keyword)),
      );
  }

  #row({ trigger, state }: KnownTrigger, shortcuts: readonly { name?: string; shortcut?: string }[]): TriggerRow {
    const { known } = this.#triggers;
    const on = !switchable(trigger.type) || (state.on && state.def === known.hash(trigger));
    const row: TriggerRow = { id: trigger.id, type: trigger.type, on, waiting: state.waiting?.length ?? 0 };
    if (trigger.concurrency !== undefined) row.concurrency = trigger.concurrency;
    if (state.off) row.off = state.off;
    if (state.note) row.note = state.note;
    switch (trigger.type) {
      case 'schedule': {
        const now = this.#app.clock.now();
        const zone = trigger.timezone ?? this.#zone;
        row.about = { cron: trigger.cron, zone };
        const { next } = lookAtSchedule(trigger, zone, now, now);
        if (next !== undefined) row.next = next;
        break;
      }
      case 'page':
        row.about = {
          match: trigger.match.join(', '),
          ...(trigger.selector !== undefined && { selector: trigger.selector }),
        };
        if (trigger.auto === true)
          row.origins = originsOf(trigger.match).map((origin) => ({
            origin,
            on: on && (state.origins ?? []).includes(origin),
          }));
        break;
      case 'command': {
        const shortcut = shortcuts.find(({ name }) => name === `slot-${trigger.slot}`)?.shortcut;
        row.about = { slot: String(trigger.slot), ...(shortcut && { shortcut }) };
        break;
      }
      case 'omnibox':
        row.about = { keyword: trigger.keyword };
        break;
      case 'context_menu':
        row.places = trigger.on ?? ['page'];
        break;
      case 'task_event':
        row.about = trigger.workflow === undefined ? {} : { workflow: trigger.workflow };
        break;
    }
    return row;
  }
}

function refusal(code: string, message: string): Refusal {
  return { code, message, problems: [] };
}
