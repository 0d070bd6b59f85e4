import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { z } from '../model/zod.ts';

const pairingSchema = z.strictObject({
  instance: z.uuid(),
  /** Of the extension: a link of this profile from elsewhere is none. */
  origin: z.string(),
  label: z.string(),
  browser: z.enum(['chromium', 'firefox']),
  /** 32 bytes as hex. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** Epoch milliseconds. */
  pairedAt: z.number(),
  lastSeenAt: z.number().optional(),
});
export type Pairing = z.infer<typeof pairingSchema>;

const fileSchema = z.strictObject({ version: z.literal(1), pairings: z.array(pairingSchema) });

/** The browsers that this OS user has paired with the hub, in one file that nobody else may read. */
export class Pairings {
  readonly #path: string;
  #known: Map<string, Pairing> = new Map();
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws Error for a file that cannot be read or understood: it is left as it is */
  async load(): Promise<void> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    const read = fileSchema.safeParse(parsed(text));
    if (!read.success)
      throw new Error(
        `Move ${this.#path} away and pair the browsers again: it is not a list of pairings that this version understands.`,
      );
    this.#known = new Map(read.data.pairings.map((pairing) => [pairing.instance, pairing]));
  }

  get all(): Pairing[] {
    return [...this.#known.values()];
  }

  get(instance: string): Pairing | undefined {
    return this.#known.get(instance);
  }

  /** Kept on disk when it resolves. */
  async set(pairing: Pairing): Promise<void> {
    this.#known.set(pairing.instance, pairing);
    await this.#save();
  }

  async remove(instance: string): Promise<boolean> {
    if (!this.#known.delete(instance)) return false;
    await this.#save();
    return true;
  }

  /** One write at a time, each of all that is known then; a reader finds the old file or the new one, never a half. */
  #save(): Promise<void> {
    const write = this.#writing.then(async () => {
      const text = `${JSON.stringify({ version: 1, pairings: this.all }, null, 2)}\n`;
      const beside = `${this.#path}.${randomUUID()}`;
      const file = await open(beside, 'wx', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, this.#path).catch(async (error: unknown) => {
        await rm(beside, { force: true });
        throw error;
      });
    });
    this.#writing = write.catch(() => undefined);
    return write;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
