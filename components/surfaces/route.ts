import { signal } from '@preact/signals';

/** The page's hash route, cut at slashes and decoded: `#/runs/abc` → `['runs', 'abc']`. */
export const route = signal<string[]>(read());

function read(): string[] {
  return location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}

addEventListener('hashchange', () => {
  route.value = read();
});

/** Goes to a route. */
export function go(...parts: string[]): void {
  location.hash = `#/${parts.map(encodeURIComponent).join('/')}`;
}
