/** Longest sentence that is shown before the rest is folded away, characters. */
const SHOWN = 300;

/**
 * An error's message as one sentence to read, and the whole text where that is longer: messages of pages, providers and libraries may have
 * lines without end. Cut between words.
 */
export function errorText(message: string): { text: string; whole?: string } {
  const whole = message.trim();
  const line = (whole.split('\n', 1)[0] as string).trim();
  const text = line.length > SHOWN ? `${line.slice(0, SHOWN).replace(/\s+\S{0,40}$/, '')} …` : line;
  return text === whole ? { text } : { text, whole };
}
