/** Work that must not overlap where it is about the same thing. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Begins `work` when all earlier work under the same name is over, however it ended. */
  async after<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(name) ?? Promise.resolve()).then(work);
    const done = mine.catch(() => undefined);
    this.last.set(name, done);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === done) this.last.delete(name);
    }
  }
}
