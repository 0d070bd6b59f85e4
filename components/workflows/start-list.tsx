import { Boxes, ChevronRight, Search } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { SurfaceState, WorkflowSummary } from '../../src/app/protocol.ts';
import { Button } from '../kit/button.tsx';
import { Empty } from '../kit/feedback.tsx';
import { TextField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { openApp } from '../platform.ts';
import { RunForm } from './run-form.tsx';

const SEARCH_FROM = 4;

/** Workflows that can be started, the run form opening in place. One form is open at a time. */
export function StartList({
  workflows,
  label,
  search,
  onThisTab,
  offers,
  hasAny,
  onStarted,
}: {
  workflows: readonly WorkflowSummary[];
  label: string;
  search?: boolean;
  onThisTab?: boolean;
  /** Triggers that offer workflows of the list. */
  offers?: SurfaceState['offers'];
  /** Whether there is any workflow, also one that is off. */
  hasAny?: boolean;
  onStarted?: (runId: string | undefined) => void;
}) {
  const [query, setQuery] = useState('');
  const [open, setOpen] = useState<string>();
  const found = workflows.filter((workflow) => matches(workflow, query));

  return (
    <section class="stack-s" aria-label={label}>
      <h2>{label}</h2>
      {search && workflows.length >= SEARCH_FROM && (
        <div class="search">
          <Search size={14} aria-hidden="true" />
          <TextField
            label={t('workflows.search')}
            hideLabel
            type="search"
            placeholder={t('workflows.search')}
            value={query}
            onValue={setQuery}
            testid="workflow-search"
            onKeyDown={(event) => {
              const first = found[0];
              if (event.key === 'Enter' && first) setOpen(first.workflowId);
            }}
          />
        </div>
      )}
      {workflows.length === 0 && search && (
        <Empty
          icon={<Boxes size={24} aria-hidden="true" />}
          title={hasAny ? t('workflows.noneOn') : t('workflows.none')}
          next={hasAny ? t('workflows.noneOnNext') : t('workflows.noneNext')}
        >
          <Button
            kind="primary"
            data-testid="to-workflows"
            onClick={() => void openApp(hasAny ? '#/workflows' : '#/workflows/import')}
          >
            {hasAny ? t('nav.workflows') : t('workflows.import')}
          </Button>
        </Empty>
      )}
      {workflows.length > 0 && found.length === 0 && (
        <p class="muted" role="status">
          {t('workflows.noMatch', { query })}
        </p>
      )}
      {found.length > 0 && (
        <ul class="card list">
          {found.map((workflow) => {
            const isOpen = open === workflow.workflowId;
            const offer = offers?.find(({ workflowId }) => workflowId === workflow.workflowId);
            return (
              <li key={workflow.workflowId} class="start-item" data-workflow={workflow.workflowId}>
                <button
                  type="button"
                  class="start-button"
                  data-testid={`start-${workflow.workflowId}`}
                  aria-expanded={isOpen}
                  onClick={() => setOpen(isOpen ? undefined : workflow.workflowId)}
                >
                  <ChevronRight size={16} aria-hidden="true" class={isOpen ? 'open' : ''} />
                  <span class="grow truncate start-name" dir="auto">
                    {workflow.name}
                  </span>
                  <span class="muted small nowrap">
                    {workflow.lastRunAt === undefined ? (
                      t('workflows.neverRun')
                    ) : (
                      <RelativeTime at={workflow.lastRunAt} />
                    )}
                  </span>
                </button>
                {isOpen && (
                  <div class="start-body">
                    {workflow.description && (
                      <p class="muted small" dir="auto">
                        {workflow.description}
                      </p>
                    )}
                    <RunForm
                      workflow={workflow}
                      onThisTab={onThisTab}
                      trigger={offer && { id: offer.triggerId }}
                      onStarted={(runId) => {
                        setOpen(undefined);
                        onStarted?.(runId);
                      }}
                    />
                  </div>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function matches(workflow: WorkflowSummary, query: string): boolean {
  const text = `${workflow.name} ${workflow.description ?? ''} ${workflow.workflowId}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Workflows for the page in the tab: those that a trigger offers there first, then those whose sites allow it. */
export function forThisPage(state: SurfaceState): WorkflowSummary[] {
  const offered = (workflow: WorkflowSummary) =>
    state.offers?.some(({ workflowId }) => workflowId === workflow.workflowId) ?? false;
  const all = recentFirst(state.workflows);
  return [
    ...all.filter(offered),
    ...all.filter((workflow) => !offered(workflow) && state.forTab.includes(workflow.workflowId)),
  ];
}

/** Enabled workflows, the most recently run first, then by name. */
export function recentFirst(workflows: readonly WorkflowSummary[]): WorkflowSummary[] {
  return workflows
    .filter((workflow) => workflow.enabled)
    .sort((a, b) => (b.lastRunAt ?? 0) - (a.lastRunAt ?? 0) || a.name.localeCompare(b.name));
}
