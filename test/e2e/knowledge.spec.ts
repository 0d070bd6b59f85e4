import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../src/cli/browser/page.ts';
import { pdfOf } from '../support/pdf.ts';
import { expect, type Product, test } from '../support/product.ts';

/** The knowledge base in the built extension: a document of each kind is added by its page, and found; nothing of a document acts. */

test.setTimeout(180_000);

const KEY = ['AKIA', 'Z7VRSTQ4XWPN2KLM'].join('');
const SCRIPT = '<script>document.title = "it ran"</script>';
/** What is added: the name of a file, its text, and a word that only it holds. */
const FILES: [name: string, content: string, word: string, title: string][] = [
  [
    'notes.txt',
    `Plain words about an aardvark. ${SCRIPT} <img src=x onerror="document.title='it ran'">`,
    'aardvark',
    'notes',
  ],
  ['guide.md', '# The guide\n\nIntro.\n\n## Feeding\n\nA badger eats worms.', 'badger', 'The guide'],
  ['site.html', `<title>A site</title>${SCRIPT}<h1>Top</h1><p>Seen here: a <b>capybara</b>.</p>`, 'capybara', 'A site'],
  ['prices.csv', 'animal,price\ndormouse,5\n"elk, large",900\n', 'dormouse', 'prices'],
  [
    'report.pdf',
    pdfOf('Yearly report', ['First page', 'On the second page is a flamingo']),
    'flamingo',
    'Yearly report',
  ],
];

test('a document of each kind is added and found, after the worker has died too; what holds a secret is told of first', async ({
  product,
}) => {
  const site = createServer((_, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end(`<title>Open page</title><h1>Zoo</h1><p>${'It has a gibbon. '.repeat(30)}</p>`);
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/zoo`;
  try {
    await product.grant('http://127.0.0.1/*');
    product.home = 'app.html#/knowledge';
    await product.launch();
    await shows(product, '[data-testid="empty"]', 'There are no documents yet');

    await choose(product, 'kb-files', FILES);
    await shows(product, '[data-testid="kb-outcome"]', '5 documents added');

    await click(product, 'kb-paste');
    await type(product, 'kb-paste-title', 'Pasted');
    await type(product, 'kb-paste-text', 'A hedgehog, pasted.');
    await click(product, 'kb-paste-add');
    await shows(product, '[data-testid="kb-outcome"]', '1 document added');

    await product.browser.cdp.send('Target.createTarget', { url: address, background: true });
    await until(
      () =>
        product.page.evaluate<boolean>(
          `chrome.tabs.query({}).then((tabs) => tabs.some(({ url, status }) => url === ${JSON.stringify(address)} && status === 'complete'))`,
        ),
      () => new Error('The page does not load.'),
      30_000,
    );
    await click(product, 'kb-page');
    await shows(product, '[data-testid="kb-page-choose"]', 'Open page');
    await click(product, 'kb-page-add');
    await shows(product, '[data-testid="kb-documents"]', 'Open page');

    const found = async (word: string, title: string, place: string) => {
      await type(product, 'kb-search', word);
      await shows(product, '[data-testid="kb-hits"]', title);
      await shows(product, '[data-testid="kb-hits"]', place);
      // The only one: what was found before has gone.
      await shows(product, '[data-testid="kb-hit"]:only-child', place);
    };
    for (const [name, , word, title] of FILES) await found(word, title, name);
    await found('hedgehog', 'Pasted', 'Score');
    await found('gibbon', 'Open page', address);
    await found('worms', 'The guide', 'The guide › Feeding');
    await found('flamingo', 'Yearly report', 'Page 2');
    await product.stopWorker();
    await found('capybara', 'A site', 'site.html');
    await found('elk', 'prices', 'animal: elk, large; price: 900');

    // Text of a document is text, whatever stands in it.
    await product.page.evaluate(`location.hash = '#/knowledge/notes'`);
    await shows(product, '[data-testid="kb-text"]', SCRIPT);
    expect(await product.page.evaluate('document.title')).not.toBe('it ran');
    await product.page.evaluate(`location.hash = '#/knowledge'`);

    await choose(product, 'kb-files', [['keys.txt', `The key is ${KEY}, for the impala.`]]);
    await shows(product, '[data-testid="kb-secrets"]', 'keys.txt');
    expect((await product.ask('knowledge.list', {})).documents).toHaveLength(7);
    await click(product, 'kb-mask');
    await found('impala', 'keys', '[redacted:');

    await type(product, 'kb-search', '');
    await click(product, 'kb-remove');
    await shows(product, '[data-testid="kb-removed"]', 'was removed');
    await click(product, 'kb-undo');
    await shows(product, '[data-testid="kb-total"]', '8 documents');

    await choose(product, 'kb-import', [['bad.json', '{"format": "tabloom-knowledge/v1", "documents": [{}]}']]);
    await shows(product, '[data-testid="error"]', 'Correct “documents.0.id” in this file');
    expect((await product.ask('knowledge.list', {})).documents).toHaveLength(8);
    await product.close();
  } finally {
    site.close();
  }
});

async function shows(product: Product, selector: string, text: string): Promise<void> {
  await until(
    () =>
      product.page.evaluate<boolean>(
        `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)}) ?? false`,
      ),
    () => new Error(`${selector} never shows “${text}”.`),
    45_000,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)} The page shows:\n${await product.page.evaluate('document.body.innerText')}`);
  });
}

async function click(product: Product, testid: string): Promise<void> {
  const selector = JSON.stringify(`[data-testid="${testid}"]`);
  await until(
    () =>
      product.page.evaluate<boolean>(
        `(() => { const one = document.querySelector(${selector}); if (!one || one.ariaDisabled === 'true') return false; one.click(); return true; })()`,
      ),
    () => new Error(`${testid} cannot be clicked.`),
    30_000,
  );
}

async function type(product: Product, testid: string, text: string): Promise<void> {
  await inField(
    product,
    testid,
    `field.value = ${JSON.stringify(text)}; field.dispatchEvent(new Event('input', { bubbles: true }));`,
  );
}

/** Gives files to an input, as the browser's own dialog does. */
async function choose(
  product: Product,
  testid: string,
  files: readonly (readonly [string, string, ...unknown[]])[],
): Promise<void> {
  await inField(
    product,
    testid,
    `const transfer = new DataTransfer();
    for (const [name, content] of ${JSON.stringify(files)}) transfer.items.add(new File([content], name));
    field.files = transfer.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));`,
  );
}

/** Does something with a `field` of the page, once it is there. */
async function inField(product: Product, testid: string, script: string): Promise<void> {
  await until(
    () =>
      product.page.evaluate<boolean>(`(() => {
        const field = document.querySelector('[data-testid="${testid}"]');
        if (!field) return false;
        ${script}
        return true;
      })()`),
    () => new Error(`There is no ${testid}.`),
    30_000,
  );
}
