import type { Effect } from '../../model/effect.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { WorkflowDefinition } from '../../model/workflow.ts';
import { registry } from '../../steps/index.ts';
import { importPreview } from '../../view/import-preview.ts';
import { shortHash } from '../../view/run-words.ts';
import { oneLine } from './text.ts';

const EFFECT_WORDS: Record<Effect, string> = {
  pure: 'compute',
  read: 'read',
  idempotent: 'change something but may be repeated',
  once: 'must not happen twice (click, send, delete)',
};

/** What a workflow wants, in one block, for the person who is about to let it run. */
export function wantsText(definition: WorkflowDefinition, revision: string): string {
  const preview = importPreview(definition as unknown as Json, registry);
  if (!preview || !isObject(definition)) return '';
  const effects = (Object.entries(preview.effects) as [Effect, number][])
    .filter(([, count]) => count > 0)
    .map(([effect, count]) => `${count} ${EFFECT_WORDS[effect]}`);
  const rows: [string, string][] = [
    ['sites', preview.sites.length > 0 ? preview.sites.join(', ') : 'none'],
    ['steps', preview.steps.map(({ label, count }) => (count > 1 ? `${label} ×${count}` : label)).join(', ')],
    ['effects', effects.length > 0 ? effects.join(', ') : 'none'],
    [
      'approvals',
      preview.approvals > 0
        ? `asks ${preview.approvals === 1 ? 'once' : `at ${preview.approvals} steps`}`
        : 'asks for none',
    ],
    ['model', preview.sendsToModel ? 'sends what it reads to the configured model' : 'not used'],
  ];
  if (preview.secrets.length > 0) rows.push(['secrets', preview.secrets.join(', ')]);
  if (preview.mcpServers.length > 0) rows.push(['servers', preview.mcpServers.join(', ')]);
  if (preview.startsItself.length > 0) rows.push(['triggers', `starts by itself: ${preview.startsItself.join(', ')}`]);
  return [
    `${oneLine(preview.name)} (${preview.id}, revision ${shortHash(revision)}) wants:`,
    ...rows.map(([name, text]) => `  ${name.padEnd(10)} ${oneLine(text, 400)}`),
  ].join('\n');
}
