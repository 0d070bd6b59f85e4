/** One of those that are measured side by side, with a browser of its own. */
export interface Contender {
  name: string;
  version: string;
  navigate(url: string): Promise<void>;
  /** Text of the whole snapshot, as a model would get it. */
  snapshot(): Promise<string>;
  click(ref: string): Promise<void>;
  /** Finds the ref of the button "Count" in a snapshot: its first group. */
  ref: RegExp;
  /** How often the page has heard that its button "Count" was clicked. */
  clicks(): Promise<unknown>;
  close(): Promise<void>;
}
