import { ChevronRight } from 'lucide-preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StepRunRow } from '../../src/model/run.ts';
import { type Forecast, forecastOf } from '../../src/view/forecast.ts';
import type { OutlineStep } from '../../src/view/outline.ts';
import { openAtFirst, runTree, type TreeLine, type TreeNode, visibleLines } from '../../src/view/run-tree.ts';
import { elapsedMs } from '../../src/view/run-words.ts';
import { waitWords } from '../../src/view/wait-words.ts';
import { useClock } from '../kit/clock.ts';
import { Empty } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { StatusGlyph } from '../kit/status.tsx';

const PAGE = 60;

/** The steps of a run as an APG tree: one tab stop, arrows, Home, End, first letters; loops fold into their items. */
export function RunTree({
  steps,
  outline,
  workflow,
  selected,
  onSelect,
}: {
  steps: readonly StepRunRow[];
  outline: readonly OutlineStep[] | undefined;
  workflow: string;
  selected?: string;
  onSelect: (path: string) => void;
}) {
  const roots = useMemo(() => runTree(steps, outline), [steps, outline]);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map());
  const [focused, setFocused] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const moveFocus = useRef(false);

  const open = useMemo(() => {
    const ids = openAtFirst(roots);
    for (const [id, isOpen] of toggled) isOpen ? ids.add(id) : ids.delete(id);
    return ids;
  }, [roots, toggled]);
  const lines = visibleLines(roots, open, (id) => (pages.get(id) ?? 1) * PAGE);
  const idOf = (line: TreeLine) => (line.kind === 'node' ? line.node.id : `${line.of}#more`);
  const current = lines.some((line) => idOf(line) === focused)
    ? focused
    : lines.some((line) => idOf(line) === selected)
      ? selected
      : lines[0] && idOf(lines[0]);

  // With the line itself, not after the next frame: a late focus would answer `onFocus` for a line that the
  // next key has left already, and that key would be lost.
  useLayoutEffect(() => {
    if (!moveFocus.current) return;
    moveFocus.current = false;
    list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [current]);

  if (lines.length === 0) return <Empty title={t('tree.empty')} />;

  const go = (line: TreeLine | undefined) => {
    if (!line) return;
    moveFocus.current = true;
    setFocused(idOf(line));
  };
  const toggle = (id: string, isOpen: boolean) => setToggled(new Map(toggled).set(id, isOpen));
  const activate = (line: TreeLine) => {
    setFocused(idOf(line));
    if (line.kind === 'more') setPages(new Map(pages).set(line.of, (pages.get(line.of) ?? 1) + 1));
    else if (line.node.row) onSelect(line.node.id);
    else if (line.expanded !== undefined) toggle(line.node.id, !line.expanded);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const at = lines.findIndex((line) => idOf(line) === current);
    const line = lines[at];
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const rtl = document.documentElement.dir === 'rtl';
    const key =
      rtl && event.key === 'ArrowRight' ? 'ArrowLeft' : rtl && event.key === 'ArrowLeft' ? 'ArrowRight' : event.key;
    if (key === 'ArrowDown') go(lines[at + 1]);
    else if (key === 'ArrowUp') go(lines[at - 1]);
    else if (key === 'Home') go(lines[0]);
    else if (key === 'End') go(lines.at(-1));
    else if (key === 'Enter' || key === ' ') activate(line);
    else if (key === 'ArrowRight' && line.kind === 'node')
      line.expanded === false ? toggle(line.node.id, true) : line.expanded && go(lines[at + 1]);
    else if (key === 'ArrowLeft' && line.kind === 'node')
      line.expanded
        ? toggle(line.node.id, false)
        : go(lines.find((each) => each.kind === 'node' && each.node.id === line.parent));
    else if (key.length === 1 && /\S/.test(key))
      go(
        [...lines.slice(at + 1), ...lines.slice(0, at)].find(
          (each) => each.kind === 'node' && nodeName(each.node).toLowerCase().startsWith(key.toLowerCase()),
        ),
      );
    else return;
    event.preventDefault();
  };

  return (
    <div
      class="tree"
      role="tree"
      aria-label={t('tree.label', { workflow })}
      ref={list}
      onKeyDown={onKeyDown}
      data-testid="tree"
    >
      {lines.map((line) => {
        const id = idOf(line);
        const tabIndex = id === current ? 0 : -1;
        const common = {
          'aria-level': line.level,
          'aria-posinset': line.position,
          'aria-setsize': line.size,
          style: { '--level': line.level - 1 },
          // Screen readers put the focus where they like; the keys go on from there.
          onFocus: () => setFocused(id),
          onClick: (event: MouseEvent) => {
            const onTwist = event.target instanceof Element && event.target.closest('.tree-twist');
            if (onTwist && line.kind === 'node' && line.expanded !== undefined) {
              setFocused(id);
              toggle(id, !line.expanded);
            } else activate(line);
          },
        };
        if (line.kind === 'more')
          return (
            <div
              role="treeitem"
              key={id}
              tabIndex={tabIndex}
              {...common}
              class="tree-line tree-more"
              aria-selected={false}
            >
              {t('tree.more', { n: Math.min(PAGE, line.hidden) })}
            </div>
          );
        return (
          <div
            role="treeitem"
            key={id}
            tabIndex={tabIndex}
            {...common}
            class="tree-line"
            data-testid="tree-item"
            data-path={line.node.id}
            data-status={line.node.status}
            aria-expanded={line.expanded}
            aria-selected={line.node.id === selected}
          >
            <span class="tree-twist">
              {line.expanded !== undefined && (
                <ChevronRight size={14} aria-hidden="true" class={line.expanded ? 'open' : ''} />
              )}
            </span>
            <NodeLine node={line.node} />
          </div>
        );
      })}
    </div>
  );
}

/** A node's name: the step's own, or words for an item. */
function nodeName(node: TreeNode): string {
  if (node.kind === 'step') return node.name;
  if (node.itemOf === 'branch') return branchName(node.name);
  const n = (node.index ?? 0) + 1;
  if (node.itemOf === 'agent') return t('tree.turn', { n });
  if (node.itemOf === 'review') return t('tree.round', { n: node.index ?? 0 });
  return node.itemOf === 'loop' ? t('tree.item', { n }) : t('tree.attempt', { n: node.index ?? 0 });
}

function branchName(name: string): string {
  return name === 'then' || name === 'else' ? t(`tree.branch.${name}`) : t('tree.branch', { name });
}

function forecastWords({ remaining, tokens, usd }: Forecast): string {
  const tr = translator.value;
  const cost = usd === undefined ? t('run.tokens', { n: tokens }) : tr.money(usd);
  return t('tree.forecast', { cost, n: remaining });
}

function NodeLine({ node }: { node: TreeNode }) {
  const tr = translator.value;
  const now = useClock();
  const row = node.row;
  const why = row && waitWords(row, tr, now);
  const took = row && elapsedMs(row, now);
  const forecast = forecastOf(node);
  const inLoop =
    row?.type === 'loop' && node.total !== undefined && (row.status === 'running' || row.status === 'waiting');
  return (
    <>
      <StatusGlyph status={node.status} />
      <span class="tree-name truncate" dir="auto">
        {nodeName(node)}
      </span>
      <span class="visually-hidden">, {t(`status.${node.status}`)}</span>
      <span class="tree-facts small muted">
        {inLoop && (
          <span class="nowrap">{t('tree.itemOf', { n: (node.reached ?? 0) + 1, total: node.total ?? 0 })}</span>
        )}
        {forecast && <span data-testid="forecast">{forecastWords(forecast)}</span>}
        {why !== undefined && <span class="tree-why">{why}</span>}
        {row?.degraded && <span class="nowrap">{t('status.degraded')}</span>}
        {row && row.attempt > 1 && <span class="nowrap">{t('tree.attempts', { n: row.attempt })}</span>}
        {took !== undefined && <span class="nowrap">{tr.duration(took)}</span>}
      </span>
    </>
  );
}
