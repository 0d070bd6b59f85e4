import { describe, expect, it } from 'vitest';
import { BACKGROUND, pageFits, pageUrlProblem, pageWithinSites } from '../../src/engine/page-wait.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { value, World, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

const AT = 'https://app.example/done?id=7';
const waits = (page: JsonObject = { url: 'https://app.example/done*' }, more: JsonObject = {}) =>
  workflow([{ id: 'paid', type: 'wait', page, ...more }, value('after', '{{step.paid}}')]);

async function see(world: World, more: { by?: string; since?: number; commandId?: string; url?: string } = {}) {
  const since = more.since ?? (await world.step('paid'))?.wait?.since ?? 0;
  const { by = BACKGROUND, commandId, url = AT } = more;
  return world.send(
    { type: 'pageSeen', runId: world.runId, path: 'paid', since, url, title: 'Paid' },
    { by, ...(commandId && { commandId }) },
  );
}

describe('which pages fit', () => {
  it.each([
    ['https://app.example/done', 'https://app.example/done', true],
    ['https://app.example/done', 'https://app.example/done#top', true],
    ['https://app.example/done', 'https://app.example/done?id=1', false],
    ['https://app.example/done*', 'https://app.example/done?id=1', true],
    ['https://app.example', 'https://app.example/', true],
    ['https://app.example#/paid/*', 'https://app.example/#/paid/7', true],
    ['https://app.example/#/paid/*', 'https://app.example/#/open/7', false],
    ['*://*.app.example/*', 'http://shop.app.example/x', true],
    ['https://app.example/*', 'https://app.example.evil/', false],
    ['https://app.example/*', 'about:blank', false],
  ])('%s, %s: %s', (wanted, url, fits) => {
    expect(pageFits(wanted, url)).toBe(fits);
  });

  it('only what the sites cover as a whole is within them', () => {
    const sites = ['https://app.example/shop/*', 'http://app.example/shop/*'];
    expect(pageWithinSites(sites, 'https://app.example/shop/done*#/x')).toBe(true);
    expect(pageWithinSites(sites, '*://app.example/shop/done')).toBe(true);
    expect(pageWithinSites(sites, 'https://app.example/*')).toBe(false);
    expect(pageWithinSites(sites, 'https://*.app.example/shop/*')).toBe(false);
    expect(pageUrlProblem('app.example/done')).toContain('match pattern');
  });
});

describe('a wait for a page', () => {
  it('is seen: the step is done with address and title, the journal says it, and the replay agrees', async () => {
    const world = new World();
    await world.start(waits());
    expect(await world.run()).toMatchObject({ status: 'waiting', waitingFor: ['page'] });
    await world.crash();
    expect(await see(world)).toEqual({ ok: true });
    expect((await world.step('after'))?.output).toEqual({ wokenBy: 'page', payload: { url: AT, title: 'Paid' } });
    expect(await world.run()).toMatchObject({ status: 'completed', activeMs: 0 });
  });

  it('is seen twice, and once more under the same id: it ends once', async () => {
    const world = new World();
    await world.start(
      workflow([
        { id: 'paid', type: 'wait', page: { url: AT } },
        { id: 'rest', type: 'wait', for: '1h' },
      ]),
    );
    const since = (await world.step('paid'))?.wait?.since;
    expect(await see(world, { commandId: 'x' })).toEqual({ ok: true });
    expect(await see(world, { commandId: 'x' })).toEqual({ ok: true });
    expect(await see(world, { since })).toMatchObject({ ok: false, code: 'not_waiting' });
    const done = (await world.events()).filter(({ type, path }) => type === 'step.completed' && path === 'paid');
    expect(done).toHaveLength(1);
    const live = liveState(world.engine, world.runId);
    if (live) await checkReplay(world.memory, live);
  });

  it.each(['person', 'cli', 'client:x', 'rule:1'])(
    '%s says that it is there: refused, and the run waits on',
    async (by) => {
      const world = new World();
      await world.start(waits());
      expect(await see(world, { by })).toMatchObject({ ok: false, code: 'bad_request' });
      expect(await world.status('paid')).toBe('waiting');
    },
  );

  it('meant for an earlier wait of the step: refused', async () => {
    const world = new World();
    await world.start(waits());
    expect(await see(world, { since: 1 })).toMatchObject({ ok: false, code: 'not_waiting' });
    expect(await world.status('paid')).toBe('waiting');
  });

  it('during the emergency stop nothing is seen', async () => {
    const world = new World();
    await world.start(waits());
    await world.engine.emergencyStop(true);
    expect(await see(world)).toMatchObject({ ok: false, code: 'emergency_stop' });
    await world.engine.emergencyStop(false);
    expect(await see(world)).toEqual({ ok: true });
  });

  const TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

  it('a secret in the address: the step fails without it; under redact it is replaced', async () => {
    const blocked = new World();
    await blocked.start(waits());
    await see(blocked, { url: `https://app.example/done?t=${TOKEN}` });
    expect(await blocked.run()).toMatchObject({ status: 'failed', error: { code: 'secret_detected', step: 'paid' } });
    expect(JSON.stringify(await blocked.events())).not.toContain(TOKEN);
    const redacted = new World();
    await redacted.start({ ...waits(), secretPolicy: 'redact' });
    await see(redacted, { url: `https://app.example/done?t=${TOKEN}` });
    expect((await redacted.run()).status).toBe('completed');
    expect(JSON.stringify(await redacted.events())).not.toContain(TOKEN);
  });

  it('an address that no page can have, from a template: the step fails and says why', async () => {
    const world = new World();
    await world.start(waits({ url: '{{workflow_input.url}}' }), { url: 'nowhere' });
    expect((await world.run()).error).toMatchObject({ code: 'input_invalid', step: 'paid' });
  });
});
