import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkBridge } from '../../src/cli/doctor/bridge.ts';
import { Rig } from '../bridge/rig.ts';

let rig: Rig;
let silent: Server | undefined;
beforeEach(async () => {
  rig = await Rig.make();
});
afterEach(async () => {
  silent?.close();
  silent = undefined;
  await rig.close();
});

it('no bridge runs: fine, and none is started', async () => {
  expect(await checkBridge(rig.home)).toMatchObject({ state: 'ok', message: expect.stringContaining('No browser') });
  await rig.startHub();
  await rig.browser({ label: 'Work' });
  await rig.hub?.stop();
  expect(await checkBridge(rig.home)).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('One browser is'),
  });
  expect(rig.started).toBe(1);
});

it('it runs: says where, and which paired browser is not linked', async () => {
  await rig.startHub();
  expect(await checkBridge(rig.home)).toMatchObject({
    state: 'ok',
    message: expect.stringMatching(/port \d+.*No browser/),
  });
  const { link } = await rig.browser({ label: 'Work' });
  await rig.browser({ label: 'Home' });
  expect(await checkBridge(rig.home)).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('2 browsers are'),
  });
  link.close();
  await expect.poll(() => rig.hub?.browsers.filter(({ linked }) => linked).length).toBe(1);
  expect(await checkBridge(rig.home)).toMatchObject({
    state: 'warn',
    message: expect.stringContaining('Not linked: Work.'),
    todo: expect.stringContaining('Open that browser'),
  });
});

it('its port is taken: failed, with what to do', async () => {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  const { port } = taken.address() as { port: number };
  await rig.startHub([port]);
  expect(await checkBridge(rig.home)).toMatchObject({
    state: 'fail',
    todo: expect.stringContaining('tabloom mcp stop'),
  });
  taken.close();
});

it('its list of pairings is broken: failed, and left as it is', async () => {
  await writeFile(rig.home.pairings, 'no list');
  expect(await checkBridge(rig.home)).toMatchObject({ state: 'fail', todo: expect.stringContaining('Move ') });
});

it('something else sits at its socket: failed, with what to do', async () => {
  silent = createServer((socket) => socket.destroy());
  await new Promise<void>((done) => silent?.listen(rig.home.socket, done));
  expect(await checkBridge(rig.home)).toMatchObject({ state: 'fail', message: expect.stringContaining('not answer') });
});
