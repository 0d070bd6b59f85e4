/**
 * Whether a file field's `accept` fits a file, by the end of its name or by its type.
 * @param accept as written: `.csv, image/*, application/pdf`; empty accepts all
 */
export function acceptsFile(accept: string, file: { name: string; type: string }): boolean {
  const words = accept
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
  const name = file.name.toLowerCase();
  const type = file.type.toLowerCase().replace(/;.*$/, '').trim();
  return (
    words.length === 0 ||
    words.some((word) => {
      if (word.startsWith('.')) return name.endsWith(word);
      if (word === '*/*' || word === '*') return true;
      return word.endsWith('/*') ? type.startsWith(word.slice(0, -1)) : type === word;
    })
  );
}
