import { describe, expect, it } from 'vitest';
import type { Requests } from '../../src/app/protocol.ts';
import { setUp } from './world.ts';

const ASKS = `format: tabloom/v1
id: asks
name: Asks two models
steps:
  - { id: one, type: recipe, prompt: Hello }
  - { id: any, type: condition, if: "true", then: [{ id: two, type: recipe, model: local, prompt: Hello }] }
`;
const settings = (baseUrl?: string): Requests['models.set']['in']['settings'] => ({
  accounts: [
    { id: 'oa', provider: 'openai', hasKey: false, ...(baseUrl === undefined ? {} : { baseUrl }) },
    { id: 'other', provider: 'anthropic', hasKey: false },
    { id: 'here', provider: 'openai-compatible', baseUrl: 'http://localhost:11434/v1', hasKey: false },
  ],
  names: { local: 'here:llama' },
  default: 'oa:gpt',
});

describe('consent to send text from pages to a model', () => {
  it('a workflow: asks for the accounts that its steps use, at any depth; a model on this machine needs none', async () => {
    const { ask } = setUp();
    await ask('models.set', { settings: settings() });
    await ask('workflow.import', { source: ASKS });
    expect(await ask('consent.get', { workflowId: 'asks' })).toEqual({
      consents: [{ account: 'oa', where: 'openai' }],
    });
    expect((await ask('consent.get', {})).consents.map(({ account }) => account)).toEqual(['oa', 'other']);
    expect(await ask('consent.get', { workflowId: 'gone' })).toEqual({ consents: [] });
  });

  it('given: is kept over a restart; taken back: is gone', async () => {
    const world = setUp();
    await world.ask('models.set', { settings: settings() });
    await world.ask('consent.set', { account: 'oa', given: true });
    const again = world.restart();
    expect((await again.ask('consent.get', {})).consents[0]).toEqual({
      account: 'oa',
      where: 'openai',
      given: 1_000_000,
    });
    await again.ask('consent.set', { account: 'oa', given: false });
    expect((await again.ask('consent.get', {})).consents[0]).toEqual({ account: 'oa', where: 'openai' });
  });

  it('the account gets another address: consent for the old one is none for the new', async () => {
    const { ask } = setUp();
    await ask('models.set', { settings: settings() });
    await ask('consent.set', { account: 'oa', given: true });
    await ask('models.set', { settings: settings('https://elsewhere.example/v1') });
    expect((await ask('consent.get', {})).consents[0]).toEqual({
      account: 'oa',
      where: 'https://elsewhere.example/v1',
    });
  });
});
