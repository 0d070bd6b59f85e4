import { readTemplate } from './template-text.ts';

/**
 * Names of all secrets that the templates in a value name, sorted: `secret.name` and `secret["name"]` alike. What is no template holds none.
 */
export function secretsNamed(value: unknown): string[] {
  const names = new Set<string>();
  collect(value, names);
  return [...names].sort();
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') {
    if (value.includes('{{') && value.includes('secret')) for (const name of namesIn(value)) names.add(name);
  } else if (value !== null && typeof value === 'object') {
    for (const inner of Object.values(value)) collect(inner, names);
  }
}

function namesIn(text: string): string[] {
  try {
    return readTemplate(text).flatMap((part) => {
      if (typeof part === 'string' || part.kind !== 'path' || part.path.root !== 'secret') return [];
      const [name] = part.path.segments;
      return typeof name === 'string' ? [name] : [];
    });
  } catch {
    // No template, so nothing can be filled in there.
    return [];
  }
}
