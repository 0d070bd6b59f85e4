import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { browser } from 'wxt/browser';
import { ask, command, onUpdates } from '../../components/client.ts';

/** A port whose other end the test holds. */
function fakePort() {
  const messages: ((message: unknown) => void)[] = [];
  const ends: (() => void)[] = [];
  return {
    port: {
      onMessage: { addListener: (listener: (message: unknown) => void) => messages.push(listener) },
      onDisconnect: { addListener: (listener: () => void) => ends.push(listener) },
      disconnect: vi.fn(),
    },
    send(message: unknown) {
      for (const listener of messages) listener(message);
    },
    drop() {
      for (const end of ends) end();
    },
  };
}

describe('ask', () => {
  it('an answer: its value; a refusal: a TabloomError with its code', async () => {
    const send = vi.spyOn(browser.runtime, 'sendMessage');
    send.mockResolvedValueOnce({ ok: true, value: { origins: ['https://a.example/*'] } } as never);
    await expect(ask('grants.list', {})).resolves.toEqual({ origins: ['https://a.example/*'] });
    expect(send).toHaveBeenCalledWith({ tabloom: 1, name: 'grants.list', payload: {} });
    send.mockResolvedValueOnce({ ok: false, error: { code: 'internal', message: 'Restart the browser.' } } as never);
    await expect(ask('grants.list', {})).rejects.toMatchObject({
      info: { code: 'internal', message: 'Restart the browser.' },
    });
  });

  it('nobody answers, or the sending fails: unreachable', async () => {
    const send = vi.spyOn(browser.runtime, 'sendMessage');
    send.mockResolvedValueOnce(undefined as never);
    await expect(ask('grants.list', {})).rejects.toMatchObject({ info: { code: 'unreachable' } });
    send.mockRejectedValueOnce(new Error('Receiving end does not exist.'));
    await expect(ask('grants.list', {})).rejects.toMatchObject({ info: { code: 'unreachable' } });
  });

  it('the background is ended while it answers a question: it is put again, a command under its id; what else changes something is not', async () => {
    const send = vi.spyOn(browser.runtime, 'sendMessage');
    send.mockClear();
    send.mockRejectedValueOnce(new Error('The message port closed before a response was received.'));
    send.mockResolvedValueOnce({ ok: true, value: { origins: [] } } as never);
    await expect(ask('grants.list', {})).resolves.toEqual({ origins: [] });
    expect(send).toHaveBeenCalledTimes(2);
    send.mockClear();
    send.mockRejectedValueOnce(new Error('The message port closed before a response was received.'));
    send.mockResolvedValueOnce({ ok: true, value: { ok: true } } as never);
    await expect(command({ type: 'pause', runId: 'r' })).resolves.toEqual({ ok: true });
    expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
    send.mockClear();
    send.mockRejectedValueOnce(new Error('The message port closed before a response was received.'));
    await expect(ask('workflow.remove', { workflowId: 'w' })).rejects.toMatchObject({ info: { code: 'unreachable' } });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('a command that does not arrive: comes back as a refusal, not as an exception', async () => {
    vi.spyOn(browser.runtime, 'sendMessage').mockRejectedValueOnce(new Error('gone'));
    await expect(command({ type: 'pause', runId: 'r' })).resolves.toEqual({
      ok: false,
      code: 'unreachable',
      message: 'gone',
    });
  });

  it('two commands: have ids of their own', async () => {
    const send = vi.spyOn(browser.runtime, 'sendMessage').mockResolvedValue({ ok: true, value: { ok: true } } as never);
    await command({ type: 'pause', runId: 'r' });
    await command({ type: 'pause', runId: 'r' });
    const ids = send.mock.calls.map(
      ([message]) => (message as unknown as { payload: { commandId: string } }).payload.commandId,
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('onUpdates', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('the worker dies: connects again after a moment and says that updates may be missing', () => {
    const ports = [fakePort(), fakePort()];
    const connect = vi
      .spyOn(browser.runtime, 'connect')
      .mockReturnValueOnce(ports[0]?.port as never)
      .mockReturnValueOnce(ports[1]?.port as never);
    const heard: unknown[] = [];
    onUpdates((update) => heard.push(update));
    ports[0]?.send({ type: 'changed', what: ['runs'] });
    ports[0]?.drop();
    expect(connect).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200);
    ports[1]?.send({ type: 'changed', what: ['approvals'] });
    expect(heard).toEqual([
      { type: 'changed', what: ['runs'] },
      'reconnected',
      { type: 'changed', what: ['approvals'] },
    ]);
  });

  it('connecting fails again and again: waits longer each time, five seconds at most', () => {
    const connect = vi.spyOn(browser.runtime, 'connect').mockImplementation(() => {
      throw new Error('Extension context invalidated.');
    });
    onUpdates(() => undefined);
    vi.advanceTimersByTime(200 + 400 + 800 + 1600 + 3200 + 5000 + 5000);
    expect(connect).toHaveBeenCalledTimes(8);
  });

  it('ended by the page: closes its port and does not come back', () => {
    const one = fakePort();
    const connect = vi.spyOn(browser.runtime, 'connect').mockReturnValue(one.port as never);
    onUpdates(() => undefined)();
    one.drop();
    vi.advanceTimersByTime(60_000);
    expect(one.port.disconnect).toHaveBeenCalledTimes(1);
    expect(connect).toHaveBeenCalledTimes(1);
  });
});
