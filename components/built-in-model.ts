/** The model that is built into the browser, as this page sees it. */

interface Download {
  addEventListener(type: 'downloadprogress', listener: (event: { loaded: number }) => void): void;
}

interface BuiltIn {
  availability(): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>;
  create(options: { monitor(download: Download): void }): Promise<{ destroy(): void }>;
}

const builtIn = (): BuiltIn | undefined => (globalThis as { LanguageModel?: BuiltIn }).LanguageModel;

/** Whether this browser has one at all. */
export function hasBuiltInModel(): boolean {
  return builtIn() !== undefined;
}

/** Whether it can be used at once, must be loaded first, or does not run on this computer. */
export async function builtInState(): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'> {
  return (await builtIn()?.availability()) ?? 'unavailable';
}

/** Has the browser load it, which is some gigabytes. Call it straight from a click. @param onProgress gets the part that is there, 0 to 1 */
export async function downloadBuiltInModel(onProgress: (part: number) => void): Promise<void> {
  const session = await builtIn()?.create({
    monitor: (download) => download.addEventListener('downloadprogress', ({ loaded }) => onProgress(loaded)),
  });
  session?.destroy();
}
