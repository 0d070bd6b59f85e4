import { z } from '../../../model/zod.ts';
import type { LinkedBrowser } from '../../front-wire.ts';
import { READS, tool } from './define.ts';

const shown = ({ instance, label, browser, version, linked }: LinkedBrowser) => ({
  id: instance,
  label,
  browser,
  version,
  linked,
});

const BROWSER_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    label: { type: 'string' },
    browser: { type: 'string' },
    version: { type: 'string' },
    linked: { type: 'boolean' },
    selected: { type: 'boolean' },
  },
  required: ['id', 'label', 'linked'],
};

export const browsersList = tool({
  name: 'browsers_list',
  title: 'List browsers',
  description: 'The browsers and profiles that are paired, and whether each is linked now.',
  args: z.object({}),
  everywhere: true,
  outputSchema: {
    type: 'object',
    properties: { browsers: { type: 'array', items: BROWSER_SCHEMA } },
    required: ['browsers'],
  },
  annotations: READS,
  async run(_, { session }) {
    const browsers = await session.hub.list();
    return { browsers: browsers.map((one) => ({ ...shown(one), selected: one.instance === session.selected })) };
  },
});

export const browserSelect = tool({
  name: 'browser_select',
  title: 'Select a browser',
  description: 'Chooses the browser that later calls go to when they name none.',
  args: z.object({ browser: z.string().describe('Label or id, from browsers_list') }),
  everywhere: true,
  outputSchema: BROWSER_SCHEMA,
  annotations: { ...READS, readOnlyHint: false },
  async run({ browser }, { session }) {
    return { ...shown(await session.select(browser)), selected: true };
  },
});
