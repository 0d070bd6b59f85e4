import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundLife } from '../../../src/app/protocol.ts';
import type { Product } from '../product.ts';
import type { Kill } from './landing.ts';

/** A page of the extension without any script: nothing in it wakes the worker by itself. */
export const INERT_PAGE = 'manifest.json';

/** How a life came up. Epoch milliseconds. */
export interface Resume {
  /** When the message was sent that woke it. */
  woken: number;
  life: Required<BackgroundLife>;
}

const HEALTH = JSON.stringify({ tabloom: 1, name: 'health.get', payload: {} });
/** Any request that waits for the recovery. */
const PATIENT = JSON.stringify({ tabloom: 1, name: 'grants.list', payload: {} });

const CONTEXTS = "chrome.runtime.getContexts({ contextTypes: ['BACKGROUND'] })";

/** No timers in here: a page that nobody sees has slow ones. */
const WAKE = `(async () => {
  const woken = Date.now();
  for (;;) {
    const answer = await chrome.runtime.sendMessage(${HEALTH}).catch(() => undefined);
    if (answer?.ok && answer.value.life.ready !== undefined) return { woken, life: answer.value.life };
    if (Date.now() - woken > 60_000) return undefined;
    await chrome.runtime.sendMessage(${PATIENT}).catch(() => ${CONTEXTS});
  }
})()`;

const NUDGE = `(async () => {
  const begin = Date.now();
  chrome.runtime.sendMessage(${HEALTH}).catch(() => undefined);
  while ((await ${CONTEXTS}).length === 0) if (Date.now() - begin > 20_000) return false;
  return true;
})()`;

/** The lives of the product's worker: ends them and wakes the next one, always from outside. */
export class Lives {
  readonly #product: Product;
  #gone = 0;

  /** @param product launched with {@link INERT_PAGE} as its home */
  constructor(product: Product) {
    this.#product = product;
  }

  /** Stops the worker, whatever it is doing. */
  kill(): Promise<Kill> {
    return this.#stop(false);
  }

  /** Wakes a worker and stops it again while it boots, `delayMs` after it was seen. */
  async killBooting(delayMs: number): Promise<Kill> {
    if (!(await this.#product.page.evaluate<boolean>(NUDGE, { timeoutMs: 30_000 })))
      throw new Error('No worker came up.');
    await sleep(delayMs);
    return this.#stop(true);
  }

  async #stop(booting: boolean): Promise<Kill> {
    const before = this.#gone;
    const asked = Date.now();
    await this.#product.stopWorker();
    this.#gone = Date.now();
    return { asked, gone: this.#gone, before, booting };
  }

  /** Wakes a worker by a message and waits until it is ready. */
  async wake(): Promise<Resume> {
    const resume = await this.#product.page.evaluate<Resume | undefined>(WAKE, { timeoutMs: 90_000 });
    if (!resume) throw new Error('The worker did not get ready.');
    return resume;
  }
}
