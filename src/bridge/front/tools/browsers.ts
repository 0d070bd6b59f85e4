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

const BROWSER_SCHEMA = { type: 'object', properties: { id: { type: 'string' }, label: { type: 'string' } } };

export const browsersList = tool({
  name: 'browsers_list',
  description: 'The paired browsers, and whether each is linked now.',
  args: z.object({}),
  outputSchema: {
    type: 'object',
    properties: { browsers: { type: 'array', items: { type: 'object' } } },
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
  description: 'Chooses the browser, by label or id, that later calls go to.',
  args: z.object({ browser: z.string() }),
  outputSchema: BROWSER_SCHEMA,
  annotations: { ...READS, readOnlyHint: false },
  async run({ browser }, { session }) {
    return { ...shown(await session.select(browser)), selected: true };
  },
});
