interface Row {
  engine: string;
  work: string;
  n: number;
  us_per_step?: number;
  cpu_us_per_step?: number;
}

/** The JSON lines of the side-by-side benchmark as a table: microseconds a step on the wall, and of processor time in brackets. */
export function peersTable(lines: string): string {
  const rows = lines
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Row)
    .filter(({ work, us_per_step }) => work !== 'approvals' && us_per_step !== undefined);
  const works = [...new Set(rows.map(({ work, n }) => `${work} ${n}`))];
  const engines = [...new Set(rows.map(({ engine }) => engine))];
  const cell = (engine: string, work: string): string => {
    const all = rows.filter((row) => row.engine === engine && `${row.work} ${row.n}` === work);
    if (all.length === 0) return '-';
    const middle = (key: 'us_per_step' | 'cpu_us_per_step'): string =>
      (all.map((row) => row[key] ?? 0).sort((a, b) => a - b)[all.length >> 1] as number).toFixed(0);
    return `${middle('us_per_step')} (${middle('cpu_us_per_step')})`;
  };
  return [
    `| engine | ${works.join(' | ')} |`,
    `| --- |${works.map(() => ' ---: |').join('')}`,
    ...engines.map((engine) => `| ${engine} | ${works.map((work) => cell(engine, work)).join(' | ')} |`),
  ].join('\n');
}
