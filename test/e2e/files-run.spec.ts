import { startPageServer } from '../support/pages/server.ts';
import { expect, test } from '../support/product.ts';

/** A file on its way through a whole run: taken from a site, kept by the engine, given to a page by the next step. */

test.setTimeout(120_000);

test('a file that one step has downloaded is uploaded by the next; one of another run is not', async ({ product }) => {
  const site = await startPageServer();
  try {
    await product.grant('http://127.0.0.1/*');
    await product.launch();
    const first = await product.ended(await product.start(workflow(site.origin, '{{step.keep.artifactId}}')));
    expect(first.run).toMatchObject({ status: 'completed' });
    const { kept, given, seen } = first.run.output as Record<string, Record<string, unknown>>;
    expect(kept).toMatchObject({ name: 'report.csv', mediaType: 'text/csv', size: 8 });
    expect(given).toEqual({ files: [{ name: 'report.csv', size: 8 }] });
    expect(seen?.text).toBe('one report.csv 8 a,b\n1,2');
    expect(first.artifacts).toMatchObject([{ name: 'report.csv', size: 8 }]);

    const second = await product.ended(await product.start(workflow(site.origin, String(kept?.artifactId))));
    expect(second.run).toMatchObject({ status: 'failed', error: { code: 'artifact_missing', step: 'give' } });
    await product.close();
  } finally {
    await site.close();
  }
});

function workflow(origin: string, artifact: string): string {
  return `
format: tabloom/v1
id: files
name: Files
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${origin}/files" } }
  - { id: keep, type: browser_action, action: download, arguments: { target: { css: "#link" } } }
  - { id: give, type: browser_action, action: upload_file, arguments: { target: { label: One file }, artifacts: ["${artifact}"] } }
  - { id: wait, type: browser_action, action: wait_for, arguments: { text: one report.csv } }
  - { id: see, type: browser_action, action: extract, arguments: { target: { css: "#out" } } }
output: { kept: "{{step.keep}}", given: "{{step.give}}", seen: "{{step.see}}" }
`;
}
