import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const readme = readFileSync(join(resolve(import.meta.dirname, '..'), 'README.md'), 'utf8');

/** Contents of the code fences of a language. */
export function fences(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] as string,
  );
}

/** Every command that the README shows, in a block or in a line of text, once. */
export function shownCommands(): string[] {
  const blocks = fences(readme, 'sh').flatMap((block) => block.trim().split('\n'));
  const lines = [...readme.matchAll(/`(np[mx] [^`\n]+)`/g)].map((match) => match[1] as string);
  return [...new Set([...blocks, ...lines])].sort();
}

/** The workflow that the README has one save as `first.yaml`. */
export function firstWorkflow(): string {
  const [source, ...more] = fences(readme, 'yaml');
  if (source === undefined || more.length > 0) throw new Error('The README shall have exactly one workflow.');
  return source;
}

/**
 * A command of the README as words, to be run to the letter but for what `swaps` says: the words on the left become those on the right.
 * @throws Error when the README does not show it, or has no such word
 */
export function readmeCommand(command: string, swaps: Record<string, string> = {}): string[] {
  if (!shownCommands().includes(command)) throw new Error(`The README does not show "${command}".`);
  const words = command.split(' ');
  for (const word of Object.keys(swaps)) if (!words.includes(word)) throw new Error(`"${command}" has no "${word}".`);
  return words.map((word) => (Object.hasOwn(swaps, word) ? (swaps[word] as string) : word));
}
