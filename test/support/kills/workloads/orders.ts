import type { RunDetail } from '../../../../src/app/protocol.ts';
import type { StepRunRow } from '../../../../src/model/run.ts';
import type { Product } from '../../product.ts';
import { expect } from '../../product.ts';
import type { OrderSite } from '../order-site.ts';
import type { Draw } from '../random.ts';
import { type Round, recoverCommand, untilQuiet, type Workload } from '../round.ts';
import { typesOf } from '../source.ts';

/** Real steps that act on a server, short waits, and backoffs: from a model that refuses and a page that does not load at first. */
const source = (id: string): string => `format: tabloom/v1
id: ${id}
name: Orders ${id}
inputs: { type: object, required: [url, items], properties: { url: { type: string }, items: { type: array } } }
sites: ["http://127.0.0.1/*"]
timeout: 1h
steps:
  - id: each
    type: loop
    over: "{{workflow_input.items}}"
    steps:
      - { id: ask, type: recipe, prompt: "Say something about item {{loop_item}} of ${id}.", retry: { maxAttempts: 6 } }
      - { id: pause, type: wait, for: 400ms }
      - id: open
        type: browser_action
        action: navigate
        arguments: { url: "{{workflow_input.url}}/{{loop_item}}", waitFor: { label: Note } }
        retry: { maxAttempts: 6, delay: 1500ms }
      - { id: write, type: browser_action, action: fill, arguments: { target: { label: Note }, value: "Item {{loop_item}}: {{step.ask.text}}" } }
      - { id: send, type: browser_action, action: click, arguments: { target: { role: button, name: Send order } } }
      - { id: sent, type: browser_action, action: wait_for, arguments: { text: Order sent } }
      - { id: count, type: browser_action, action: click, arguments: { target: { role: button, name: Count it } } }
      - { id: counted, type: browser_action, action: wait_for, arguments: { text: It was counted } }
    collect: "{{loop_item}}"
output: { items: "{{step.each.items}}" }
`;

/** How a person answers for one run of orders, and what must have come to the server at its end. */
class OrdersRun {
  readonly runId: string;
  readonly #tag: string;
  readonly #items: string[];
  readonly #product: Product;
  readonly #site: OrderSite;
  #patience: number;
  #gaveUp = false;

  constructor(product: Product, site: OrderSite, run: { runId: string; tag: string; items: string[] }, draw: Draw) {
    this.#product = product;
    this.#site = site;
    this.runId = run.runId;
    this.#tag = run.tag;
    this.#items = run.items;
    // In some runs the person has enough when asked what became of a click.
    this.#patience = draw() < 0.2 ? 2 + Math.floor(draw() * 4) : Number.POSITIVE_INFINITY;
  }

  async answer(step: StepRunRow) {
    if (step.effect !== 'once') return recoverCommand(this.runId, step, 'retry');
    await untilQuiet(this.#product, `${this.#site.url}/order/${this.#tag}/`, this.#site.open);
    this.#patience -= 1;
    if (this.#patience <= 0) {
      this.#gaveUp = true;
      return recoverCommand(this.runId, step, 'fail');
    }
    const item = this.#items[Number(/\[(\d+)\]/.exec(step.path)?.[1])] ?? '';
    const there = step.stepId === 'send' ? this.#sent().includes(item) : this.#site.counted(this.#tag)[item] === 1;
    return recoverCommand(this.runId, step, there ? 'done' : 'retry');
  }

  #sent(): string[] {
    return this.#site.orders(this.#tag).map(({ item }) => item);
  }

  check({ run }: RunDetail): void {
    const orders = this.#site.orders(this.#tag);
    const came = this.#sent();
    const counted = this.#site.counted(this.#tag);
    expect(came).toEqual(this.#items.slice(0, came.length));
    for (const { item, note } of orders)
      expect(note).toMatch(new RegExp(`^Item ${item}: This is the Tabloom stand-in`));
    expect(Object.values(counted).every((times) => times === 1)).toBe(true);
    if (this.#gaveUp) {
      expect(run).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
      return;
    }
    expect(run).toMatchObject({ status: 'completed', output: { items: this.#items } });
    expect(came).toEqual(this.#items);
    expect(Object.keys(counted)).toEqual(this.#items);
  }
}

/** Runs of orders, `together` at once, each in a window of its own. Every order comes once, and is counted once. */
export function orders(product: Product, site: OrderSite, together: number, length: number): Workload {
  const name = together === 1 ? 'loop with waits' : `${together} runs at once`;
  return {
    name,
    async begin(number, draw): Promise<Round> {
      const runs: OrdersRun[] = [];
      for (let one = 1; one <= together; one++) {
        const tag = `orders-${together}-${number}-${one}`;
        const items = Array.from({ length }, (_, index) => `${one}${index + 1}`);
        const runId = await product.start(source(tag), { url: `${site.url}/order/${tag}`, items });
        runs.push(new OrdersRun(product, site, { runId, tag, items }, draw));
      }
      const of = (runId: string) => runs.find((run) => run.runId === runId) as OrdersRun;
      return {
        name,
        runIds: runs.map(({ runId }) => runId),
        types: typesOf(source('orders')),
        answer: ({ run }, step) => of(run.runId).answer(step),
        check(details) {
          for (const detail of details) of(detail.run.runId).check(detail);
        },
      };
    },
  };
}
