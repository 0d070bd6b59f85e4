import type { RunDetail } from '../../app/protocol.ts';
import type { Json } from '../../model/json.ts';
import type { BlobRef } from '../../model/run.ts';
import type { Background } from './background.ts';

/** The run with its large outputs, which are kept by content beside it, filled in. */
export async function withOutputs(background: Background, detail: RunDetail): Promise<RunDetail> {
  const fill = async <T extends { output?: Json; outputRef?: BlobRef }>(row: T): Promise<T> => {
    if (row.output !== undefined || row.outputRef === undefined) return row;
    const blob = await background.ask('blob.get', { hash: row.outputRef.hash });
    return blob ? { ...row, output: JSON.parse(blob.text) as Json } : row;
  };
  const steps: RunDetail['steps'] = [];
  for (const row of detail.steps) steps.push(await fill(row));
  return { ...detail, run: await fill(detail.run), steps };
}
