import { randomBytes } from 'node:crypto';
import { codeKey, pairingCode } from '../../model/link.ts';

/** How long a code is good, milliseconds, and for how many tries. */
const CODE_MS = 5 * 60_000;
const CODE_TRIES = 3;

export interface Offer {
  code: string;
  key: string;
  expiresAt: number;
}

/** The code that a person is to carry to a browser; one at a time, used once. */
export class PairingOffer {
  readonly #now: () => number;
  readonly #over: (message: string) => void;
  #offer: (Offer & { tries: number; timer: NodeJS.Timeout }) | undefined;

  /** @param over told when a code that was not used is no longer good, with a sentence */
  constructor(now: () => number, over: (message: string) => void) {
    this.#now = now;
    this.#over = over;
  }

  /** A new code; an older one is no longer good. */
  make(): Offer {
    this.#drop('Another code was asked for since.');
    const code = pairingCode(randomBytes(16));
    const expiresAt = this.#now() + CODE_MS;
    const timer = setTimeout(() => this.#drop('Ask for a new code: five minutes have passed.'), CODE_MS);
    timer.unref();
    this.#offer = { code, key: codeKey(code), expiresAt, tries: 0, timer };
    return this.#offer;
  }

  get current(): Offer | undefined {
    return this.#offer;
  }

  failed(): void {
    if (!this.#offer) return;
    this.#offer.tries += 1;
    if (this.#offer.tries >= CODE_TRIES) this.#drop('Ask for a new code: this one was given wrongly three times.');
  }

  used(): void {
    if (this.#offer) clearTimeout(this.#offer.timer);
    this.#offer = undefined;
  }

  #drop(message: string): void {
    if (!this.#offer) return;
    this.used();
    this.#over(message);
  }
}
