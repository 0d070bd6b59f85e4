/** Time and timers. The only source of either below the adapters, so that tests can skip hours. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back once after `ms`; returns a function that takes it back. */
  setTimer(ms: number, callback: () => void): () => void;
}

/** Randomness, for jitter and ids. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A fresh id of 128 random bits, URL-safe text. */
  id(): string;
}
