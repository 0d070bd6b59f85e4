import { describe, expect, it } from 'vitest';
import type { Sender } from '../../src/app/browser-api.ts';
import { reportingTab } from '../../src/app/sender.ts';
import { BASE, ID, OWN } from './fake.ts';

const SELF = { id: ID, base: BASE };
const PAGE: Sender = { id: ID, url: 'https://a.example/', origin: 'https://a.example', frameId: 3, tab: { id: 5 } };
const REPORT = { tabloom: 1, dialogs: { document: 'd', notes: [] } };

describe('what a script in a page tells of dialogs', () => {
  it('is taken with its tab, and nothing else of it', () => {
    expect(reportingTab(REPORT, PAGE, SELF)).toEqual({ tabId: 5, dialogs: REPORT.dialogs });
  });

  it.each<[string, unknown, Sender | undefined]>([
    ['another extension', REPORT, { ...PAGE, id: 'other' }],
    ['nobody', REPORT, undefined],
    ['a page outside tabs', REPORT, { ...PAGE, tab: undefined }],
    ["one of the extension's own pages", REPORT, OWN],
    ['a request', { tabloom: 1, name: 'run.start', payload: {} }, PAGE],
    ['another message', { dialogs: {} }, PAGE],
    ['no object', 'dialogs', PAGE],
  ])('%s: is not', (_, message, sender) => {
    expect(reportingTab(message, sender, SELF)).toBeUndefined();
  });
});
