import type { RunDetail } from '../../app/protocol.ts';
import type { Usage } from '../../model/run.ts';
import { runTree, type TreeNode } from '../../view/run-tree.ts';
import { GLYPHS } from './progress.ts';
import { durationText, oneLine } from './text.ts';

/** A run as a tree with times, attempts, tokens and cost: what is left on the screen at the end. */
export function treeText(detail: RunDetail, now: number): string {
  const { run } = detail;
  const wall = (run.endedAt ?? now) - (run.startedAt ?? run.createdAt);
  const head = [`${oneLine(run.workflowName)}: ${run.status}`, `in ${durationText(wall)}`];
  if (wall - run.activeMs > 1000) head.push(`(at work ${durationText(run.activeMs)})`);
  const usage = usageText(run.usage);
  const lines = [`${head.join(' ')}${usage === '' ? '' : `, ${usage}`}`];
  addLines(lines, runTree(detail.steps), '');
  return lines.join('\n');
}

/** Why a run failed: where, the code, and the sentence that says what to do; `undefined` where it did not. */
export function failureText({ run: { error } }: Pick<RunDetail, 'run'>): string | undefined {
  if (!error) return undefined;
  const where = error.step === undefined ? '' : ` at ${error.step}`;
  return `Failed${where} with ${error.code}: ${oneLine(error.message, 400)}`;
}

function addLines(lines: string[], nodes: readonly TreeNode[], prefix: string): void {
  nodes.forEach((node, i) => {
    const last = i === nodes.length - 1;
    lines.push(`${prefix}${last ? '└─' : '├─'} ${nodeText(node)}`);
    addLines(lines, node.children, `${prefix}${last ? '   ' : '│  '}`);
  });
}

function nodeText(node: TreeNode): string {
  if (node.kind === 'item') {
    const of = node.total === undefined ? '' : ` of ${node.total}`;
    return `${GLYPHS[node.status]} ${(node.index ?? 0) + 1}${of}`;
  }
  const { row } = node;
  const parts = [`${GLYPHS[node.status]} ${oneLine(node.name, 60)}`];
  if (row?.startedAt !== undefined && row.endedAt !== undefined) parts.push(durationText(row.endedAt - row.startedAt));
  if (row && row.attempt > 1) parts.push(`${row.attempt} attempts`);
  if (row?.usage) parts.push(usageText(row.usage));
  if (row?.degraded) parts.push('by its fallback');
  if (row?.wait && row.status === 'waiting') parts.push(oneLine(row.wait.reason ?? `waiting for ${row.wait.kind}`));
  // Whole: what to do stands at its end.
  if (row?.error) parts.push(`${row.error.code}: ${oneLine(row.error.message, 400)}`);
  else if (row?.reason !== undefined) parts.push(oneLine(row.reason));
  return parts.filter(Boolean).join('  ');
}

/** Tokens and money in words; empty where no model was called. Money only where a price is known. */
export function usageText(usage: Usage | undefined): string {
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  if (!usage || tokens === 0) return '';
  const about = usage.estimated ? 'about ' : '';
  const cost = usage.usd === undefined ? '' : `, $${usage.usd.toFixed(usage.usd < 0.1 ? 4 : 2)}`;
  return `${about}${tokens.toLocaleString('en-US')} tokens${cost}`;
}
