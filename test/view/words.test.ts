import { describe, expect, it } from 'vitest';
import type { StepRunRow } from '../../src/model/run.ts';
import { registry } from '../../src/steps/index.ts';
import { importPreview } from '../../src/view/import-preview.ts';
import { asTable, labelOf, previewJson } from '../../src/view/json-preview.ts';
import { translatorFor } from '../../src/view/messages/index.ts';
import { formProblems, fromForm, toForm } from '../../src/view/model-form.ts';
import { hasYielded, matchedTarget, promptParts } from '../../src/view/prompt-parts.ts';
import {
  byWords,
  grantPattern,
  placeWords,
  refusalWords,
  savedWords,
  triggerWords,
  usageWords,
} from '../../src/view/run-words.ts';
import { waitWords } from '../../src/view/wait-words.ts';

const tr = translatorFor('en');
const step = (over: Partial<StepRunRow>): StepRunRow => ({
  runId: 'r',
  path: 's',
  stepId: 's',
  type: 'recipe',
  name: 's',
  status: 'running',
  effect: 'read',
  attempt: 1,
  attempts: [],
  order: 1,
  ...over,
});

describe('why a step waits', () => {
  it('an approval: in words', () => {
    expect(waitWords(step({ status: 'waiting', wait: { kind: 'approval', since: 0 } }), tr, 0)).toBe(
      'waiting for approval',
    );
  });

  it('a page: which one, and which element', () => {
    const page = (data: { url: string; selector?: string }, language = tr) =>
      waitWords(step({ status: 'waiting', wait: { kind: 'page', since: 0, subject: data.url, data } }), language, 0);
    const url = 'https://example.com/done*';
    expect(page({ url })).toBe(`waiting for the page ${url}`);
    expect(page({ url, selector: '.receipt' })).toBe(`waiting for .receipt on the page ${url}`);
    expect(page({ url }, translatorFor('de'))).toBe(`wartet auf die Seite ${url}`);
  });

  it('a backoff under way: says when the next attempt is', () => {
    const attempts = [
      { number: 1, startedAt: 0, endedAt: 1000, error: { code: 'network', message: 'x' }, delayMs: 12_000 },
    ];
    expect(waitWords(step({ attempts }), tr, 1000)).toBe('retry in 12 seconds');
    expect(waitWords(step({ attempts }), tr, 14_000)).toBeUndefined();
  });

  it('a completed step: nothing', () => {
    expect(waitWords(step({ status: 'completed' }), tr, 0)).toBeUndefined();
  });
});

describe('words about runs', () => {
  it('usage without a price: tokens only; none at all: says so', () => {
    expect(usageWords({ inputTokens: 1000, outputTokens: 1 }, tr)).toBe('1,001 tokens');
    expect(usageWords({ inputTokens: 0, outputTokens: 0 }, tr)).toBe('No model used');
  });

  it('usage that was estimated, or came from a cache, says so; what was saved is money where that is known', () => {
    const usage = { inputTokens: 1000, outputTokens: 1, cachedTokens: 800, estimated: true, usd: 0.25 };
    expect(usageWords(usage, tr)).toBe('$0.25 · 1,001 tokens, 800 of them from the provider’s cache, estimated');
    expect(savedWords({ inputTokens: 10, outputTokens: 5 }, tr)).toBe('15 tokens');
    expect(savedWords(usage, tr)).toBe('$0.25');
    expect(savedWords({ inputTokens: 0, outputTokens: 0 }, tr)).toBeUndefined();
    expect(savedWords(undefined, tr)).toBeUndefined();
  });

  it('a refusal that is known: our sentence; another one: the sentence that came with it', () => {
    expect(refusalWords({ code: 'already_decided', message: 'x' }, tr)).toContain('already decided');
    expect(refusalWords({ code: 'toString', message: 'Do this.' }, tr)).toBe('Do this.');
  });

  it('triggers and deciders: in words, unknown ones too', () => {
    expect(triggerWords({ trigger: { type: 'schedule' } }, tr)).toBe('a schedule');
    expect(triggerWords({ trigger: {} }, tr)).toBe('something else');
    expect(byWords('client:Desk:1', tr)).toBe('the client Desk:1');
  });

  it.each([
    ['https://shop.example', 'https://shop.example/*'],
    ['https://shop.example/cart/*', 'https://shop.example/*'],
    ['http://localhost:8080/*', 'http://localhost/*'],
    ['http://[::1]:8080', 'http://[::1]/*'],
    ['*://*.example.com/*', '*://*.example.com/*'],
    ['<all_urls>', '<all_urls>'],
  ])('grant pattern of %s: %s', (origin, pattern) => {
    expect(grantPattern(origin)).toBe(pattern);
  });
});

describe('where a run is', () => {
  it('a step on its own, in a loop, in a loop of a loop: its id, and the innermost item counted from 1', () => {
    expect(['gate', 'each[3]/grade', 'each[0]/sub[11]/send'].map((path) => placeWords(path, tr))).toEqual([
      'gate',
      'grade, item 4',
      'send, item 12',
    ]);
  });
});

describe('JSON on screen', () => {
  it('a preview: one line, cut', () => {
    expect(previewJson('a\nb')).toBe('a b');
    expect(previewJson({ a: 'x'.repeat(200) }, 20)).toHaveLength(20);
  });

  it('a list of objects: a table with the columns of all rows; anything else is none', () => {
    expect(asTable([{ a: 1 }, { b: 2, a: 3 }])?.columns).toEqual(['a', 'b']);
    expect(asTable([1])).toBeUndefined();
    expect(asTable([])).toBeUndefined();
    expect(labelOf('unitPrice')).toBe('Unit price');
  });
});

describe('importPreview', () => {
  it('nested steps, secrets and triggers: everything the file wants is counted', () => {
    const preview = importPreview(
      {
        id: 'x',
        sites: ['https://a.example/*'],
        triggers: [
          { id: 'p', type: 'page' },
          { id: 'm', type: 'schedule' },
        ],
        steps: [
          {
            id: 'l',
            type: 'loop',
            steps: [
              { id: 'c', type: 'browser_action', action: 'click' },
              {
                id: 'i',
                type: 'condition',
                then: [{ id: 'f', type: 'browser_action', action: 'fill', arguments: { value: '{{secret.pin}}' } }],
              },
            ],
          },
          {
            id: 'p',
            type: 'parallel',
            branches: { one: [{ id: 'r', type: 'recipe', fallback: { steps: [{ id: 'a', type: 'approval' }] } }] },
          },
          {
            id: 'm',
            type: 'mcp_tool',
            server: 'crm',
            tool: 'find',
            compensate: [{ id: 'z', type: 'browser_action', action: 'brand_new' }],
          },
        ],
      },
      registry,
    );
    expect(preview).toMatchObject({
      effects: { pure: 0, read: 1, idempotent: 1, once: 3 },
      approvals: 1,
      sendsToModel: true,
      mcpServers: ['crm'],
      secrets: ['pin'],
      startsItself: ['schedule'],
      name: 'x',
    });
  });

  it.each([null, 'text', [], { id: 'x' }, { steps: [] }])('%j: is no workflow', (file) => {
    expect(importPreview(file, registry)).toBeUndefined();
  });
});

describe('model settings as a form', () => {
  it('settings put into the form and read back: are the same', () => {
    const settings = {
      accounts: [
        { id: 'a', provider: 'openai' as const, hasKey: true },
        { id: 'b', provider: 'openai-compatible' as const, baseUrl: 'http://b/v1', hasKey: false, stream: false },
      ],
      names: { fast: 'a:m' },
      default: 'fast',
      prices: { m: { input: 0.25, output: 2 } },
    };
    expect(fromForm(toForm(settings))).toEqual(settings);
  });

  it('a taken name, a missing address, a bad price: each at its place', () => {
    const form = toForm({
      accounts: [
        { id: 'a', provider: 'openai', hasKey: false },
        { id: 'a', provider: 'openai-compatible', hasKey: false },
      ],
      names: {},
    });
    expect(formProblems({ ...form, prices: [{ model: 'm', input: 'x', output: '1' }] })).toEqual({
      'accounts.1.id': 'accountIdTaken',
      'accounts.1.baseUrl': 'baseUrlNeeded',
      'prices.0': 'priceBad',
    });
  });
});

describe('promptParts', () => {
  const at = { number: 1, startedAt: 0 };
  const meta = { model: 'main:m', system: 's', prompt: 'p', reply: 'r', finish: 'stop' };

  it('what a recipe step keeps: instructions and prompt as sent, the reply, the model', () => {
    expect(promptParts({ ...at, meta })).toEqual({
      model: 'main:m',
      sent: [
        { role: 'system', text: 's' },
        { role: 'user', text: 'p' },
      ],
      faults: [],
      reply: 'r',
    });
    expect(promptParts({ ...at, meta: { ...meta, finish: 'length' } })?.cut).toBe('length');
  });

  it('the attempt after a reply that did not fit: that reply and its faults were sent too', () => {
    const error = { code: 'output_invalid', message: 'm', details: { reply: 'bad', errors: ['/score is missing'] } };
    const parts = promptParts({ ...at, number: 2, meta }, { ...at, error });
    expect(parts?.sent.at(-1)).toEqual({ role: 'assistant', text: 'bad' });
    expect(parts?.faults).toEqual(['/score is missing']);
    expect(promptParts({ ...at, meta }, { ...at, error: { code: 'network', message: 'm' } })?.faults).toEqual([]);
  });

  it('what a browser action keeps: no prompt, but which alternative of its target was found', () => {
    expect(promptParts({ ...at, meta: { matched: 1 } })).toBeUndefined();
    expect(matchedTarget({ ...at, meta: { matched: 1 } })).toBe(2);
    expect(matchedTarget({ ...at, meta: { matched: 0 } })).toBeUndefined();
    expect(hasYielded({ ...at, meta: { yielded: true } })).toBe(true);
    expect(hasYielded(at)).toBe(false);
  });
});
