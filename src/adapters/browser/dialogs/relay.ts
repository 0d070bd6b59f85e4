import { isPersonAtWork, letPersonBe, watchPerson } from '../../../actions/page/person.ts';
import { PAGE_GLOBAL, type PageScript } from '../../../actions/protocol.ts';
import {
  type DialogReport,
  type FromGuard,
  GUARD_HELLO,
  RELAY_FORCED,
  RELAY_GLOBAL,
  RELAY_HELLO,
  type Relay,
  type ToGuard,
} from './channel.ts';
import { hasLeaseMark, isAddressless } from './lease-mark.ts';

interface Runtime {
  id?: string;
  sendMessage(message: DialogReport): Promise<unknown> | undefined;
}

/**
 * The guard's counterpart in the isolated world: tells the background of each dialog while it is there, since the document may be gone a
 * moment later, and passes the driver's messages on. Does nothing in tabs that no run drives.
 */
export function startDialogRelay(): void {
  const world = globalThis as unknown as Record<string, unknown>;
  // A frame of the page's own origin keeps its window when its first, empty document gives way to its page: a relay of that one hears nothing.
  const before = world[RELAY_GLOBAL] as Relay | undefined;
  if (before !== undefined && before.of === document) return;
  if (world[RELAY_FORCED] !== true && !hasLeaseMark() && !(isAddressless() && isParentRelayed())) return;
  world[RELAY_GLOBAL] = createRelay();
}

/** Firefox gives no sight of the parent's isolated world; there the driver puts the relay in place. */
function isParentRelayed(): boolean {
  try {
    const { parent } = window;
    const relay = (parent as unknown as Record<string, Relay | undefined>)[RELAY_GLOBAL];
    return parent !== window && relay?.active() === true;
  } catch {
    return false;
  }
}

function createRelay(): Relay {
  const name = `tabloom:${crypto.randomUUID()}`;
  let heard: FromGuard | undefined;
  let talking = false;
  let guarded = false;
  const send = (detail: string, type = name): void => {
    document.dispatchEvent(new CustomEvent(type, { detail }));
  };
  const give = (): void => send(name, RELAY_HELLO);
  /** As long as no guard has the name; a page could ask for it too. */
  const offer = (): void => document.addEventListener(GUARD_HELLO, give, true);
  const listener = (event: Event): void => {
    const said = read((event as CustomEvent<unknown>).detail);
    if (!said) return;
    heard = said;
    guarded = true;
    document.removeEventListener(GUARD_HELLO, give, true);
    // What the guard says when it is spoken to, the driver gets as the answer.
    if (talking || said.notes.length === 0 || report(name, said)) return;
    send(JSON.stringify({ to: 'guard', end: true } satisfies ToGuard));
  };
  /** Again with each message: Chromium may take a frame's listeners away with its first, empty document, and a second time changes nothing. */
  const listen = (): void => document.addEventListener(name, listener, true);
  listen();
  // Whoever is at one of the frames of a page is at the page.
  const watch = (): void => watchPerson(() => performance.now());
  watch();
  offer();
  give();
  return {
    of: document,
    active: () => guarded,
    talk({ taken, ...message }, origin) {
      heard = undefined;
      talking = true;
      listen();
      try {
        // What is to be typed into a dialog is meant for one origin, and no frame of another one sees it.
        const said: ToGuard = { to: 'guard', ...message };
        if (origin !== undefined && origin !== self.origin) {
          if (said.act) said.act = null;
          delete said.standing;
        }
        if (taken?.[name] !== undefined) said.taken = taken[name];
        send(JSON.stringify(said));
      } finally {
        talking = false;
      }
      const reply = heard as FromGuard | undefined;
      guarded = reply !== undefined && message.end !== true;
      if (message.end) letGo();
      else watch();
      if (!guarded) offer();
      return reply ? { document: name, reply, person: isPersonAtWork() } : null;
    },
  };
}

/** The page script, where it is there, takes back what it has drawn. */
function letGo(): void {
  letPersonBe();
  (globalThis as unknown as Record<string, Partial<PageScript> | undefined>)[PAGE_GLOBAL]?.end?.();
}

/** False when this script is of an extension that was updated or removed meanwhile: nobody listens any more. */
function report(document: string, { notes }: FromGuard): boolean {
  const api = globalThis as unknown as { browser?: { runtime?: Runtime }; chrome?: { runtime?: Runtime } };
  const runtime = api.browser?.runtime ?? api.chrome?.runtime;
  if (!runtime?.id) return false;
  try {
    runtime.sendMessage({ tabloom: 1, dialogs: { document, notes } })?.catch(() => undefined);
    return true;
  } catch {
    return false;
  }
}

function read(detail: unknown): FromGuard | undefined {
  if (typeof detail !== 'string') return undefined;
  try {
    const said = JSON.parse(detail) as FromGuard;
    return said.to === 'relay' ? said : undefined;
  } catch {
    return undefined;
  }
}
