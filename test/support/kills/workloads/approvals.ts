import type { Product } from '../../product.ts';
import { expect } from '../../product.ts';
import type { OrderSite } from '../order-site.ts';
import { pendingOf, type Round, recoverCommand, untilQuiet, type Workload } from '../round.ts';
import { typesOf } from '../source.ts';

const source = (id: string): string => `format: tabloom/v1
id: ${id}
name: Approved orders
inputs: { type: object, required: [url, items], properties: { url: { type: string }, items: { type: array } } }
sites: ["http://127.0.0.1/*"]
timeout: 1h
steps:
  - id: each
    type: loop
    over: "{{workflow_input.items}}"
    steps:
      - id: open
        type: browser_action
        action: navigate
        arguments: { url: "{{workflow_input.url}}/{{loop_item}}", waitFor: { label: Note } }
        retry: { maxAttempts: 6, delay: 1500ms }
      - { id: write, type: browser_action, action: fill, arguments: { target: { label: Note }, value: "For {{loop_item}}" } }
      - { id: gate, type: approval, title: "Send {{loop_item}}?", show: { item: "{{loop_item}}" }, covers: [send], risk: money, onReject: continue }
      - { id: send, type: browser_action, action: click, when: 'step.gate.decision == "approved"', arguments: { target: { role: button, name: Send order } } }
      - { id: sent, type: browser_action, action: wait_for, when: 'step.gate.decision == "approved"', arguments: { text: Order sent } }
    collect: "{{step.gate.decision}}"
output: { decisions: "{{step.each.items}}" }
`;

/** A run that asks before each order: what was approved comes once, what was rejected never. */
export function approvals(product: Product, site: OrderSite, length: number): Workload {
  return {
    name: 'waits for approval',
    async begin(number, draw): Promise<Round> {
      const tag = `approved-${number}`;
      const items = Array.from({ length }, (_, index) => `${index + 1}`);
      const wanted = items.map(() => (draw() < 0.25 ? 'rejected' : 'approved'));
      const runId = await product.start(source(tag), { url: `${site.url}/order/${tag}`, items });
      const indexOf = (path: string) => Number(/\[(\d+)\]/.exec(path)?.[1]);
      return {
        name: 'waits for approval',
        runIds: [runId],
        types: typesOf(source(tag)),
        async answer(detail, { path, effect, wait }) {
          if (wait?.kind === 'approval') {
            const { hash, show } = pendingOf(detail, path);
            const index = indexOf(path);
            expect(show).toEqual({ item: items[index] });
            return { type: 'decide', runId, path, hash, decision: wanted[index] as 'approved' | 'rejected' };
          }
          if (effect !== 'once') return recoverCommand(runId, { path }, 'retry');
          await untilQuiet(product, `${site.url}/order/${tag}/`, site.open);
          const item = items[indexOf(path)];
          return recoverCommand(
            runId,
            { path },
            site.orders(tag).some((order) => order.item === item) ? 'done' : 'retry',
          );
        },
        check([detail]) {
          expect(detail?.run).toMatchObject({ status: 'completed', output: { decisions: wanted } });
          const approved = items.filter((_, index) => wanted[index] === 'approved');
          expect(site.orders(tag)).toEqual(approved.map((item) => ({ tag, item, note: `For ${item}` })));
          expect(detail?.approvals.map(({ path, status }) => [indexOf(path), status])).toEqual(
            expect.arrayContaining(wanted.map((status, index) => [index, status])),
          );
        },
      };
    },
  };
}
