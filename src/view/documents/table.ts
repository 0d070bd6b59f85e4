import Papa from 'papaparse';

/**
 * A table as text: each row is a line that names its columns, so that a row which is found by itself says what it is. The first row of the
 * file holds the names.
 */
export function tableText(text: string): string {
  const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' });
  const [names = [], ...rows] = data.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ').trim()));
  const named = names.map((name, index) => name || `column ${index + 1}`);
  const lines = rows.map((row) =>
    row
      .map((cell, index) => (cell === '' ? '' : `${named[index] ?? `column ${index + 1}`}: ${cell}`))
      .filter((cell) => cell !== '')
      .join('; '),
  );
  return [...(named.length > 0 ? [`Columns: ${named.join('; ')}`] : []), ...lines.filter((line) => line !== '')].join(
    '\n',
  );
}
