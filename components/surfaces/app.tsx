import { useEffect, useRef } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import { diagnostics } from '../../src/view/messages/en/diagnostics.ts';
import { entries } from '../../src/view/messages/en/entries.ts';
import { inspect } from '../../src/view/messages/en/inspect.ts';
import { knowledge } from '../../src/view/messages/en/knowledge.ts';
import { library } from '../../src/view/messages/en/library.ts';
import { settings } from '../../src/view/messages/en/settings.ts';
import { triggers } from '../../src/view/messages/en/triggers.ts';
import { addEnglish } from '../../src/view/messages/pages.ts';
import { t } from '../kit/i18n.tsx';
import { DocumentPage } from '../knowledge/document.tsx';
import { KnowledgePage } from '../knowledge/page.tsx';
import { EntryPage } from '../library/entry-page.tsx';
import { LibraryPage } from '../library/page.tsx';
import { DiagnosticsPage } from '../settings/diagnostics.tsx';
import { SettingsPage } from '../settings/page.tsx';
import { ImportPage } from '../workflows/import-page.tsx';
import { WorkflowPage } from '../workflows/workflow-page.tsx';
import { WorkflowsPage } from '../workflows/workflows-page.tsx';
import { ApprovalsList } from './approvals-list.tsx';
import { route } from './route.ts';
import { RunPage, RunsPage } from './runs-page.tsx';
import { Shell } from './shell.tsx';
import { WelcomePage } from './welcome.tsx';

// Texts that only this page shows.
addEnglish({ ...inspect, ...library, ...settings, ...diagnostics, ...triggers, ...knowledge, ...entries });

const SECTIONS = ['workflows', 'runs', 'approvals', 'library', 'knowledge', 'settings', 'welcome'] as const;
type Section = (typeof SECTIONS)[number];

/** The app page: one hash route per view. */
export function App() {
  const section = SECTIONS.find((each) => each === route.value[0]) ?? 'workflows';
  // It must be there also where the background is not, and so asks for itself.
  const diagnosed = section === 'settings' && route.value[1] === 'diagnostics';
  useEffect(() => {
    document.title = `${t(`nav.${section}`)} – ${t('app.name')}`;
  }, [section]);
  return (
    <Shell name="app" nav={<Nav current={section} />} alone={diagnosed && <DiagnosticsPage />}>
      {(state) => <Page section={section} state={state} />}
    </Shell>
  );
}

function Nav({ current }: { current: Section }) {
  const nav = useRef<HTMLElement>(null);
  // On a narrow window the sections are wider than it.
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [current],
  );
  return (
    <nav class="nav" aria-label={t('nav.main')} ref={nav}>
      {SECTIONS.map((section) => (
        <a
          key={section}
          href={`#/${section}`}
          aria-current={section === current ? 'page' : undefined}
          data-testid={`nav-${section}`}
        >
          {t(`nav.${section}`)}
        </a>
      ))}
    </nav>
  );
}

function Page({ section, state }: { section: Section; state: SurfaceState }) {
  const [, id, part, form] = route.value;
  switch (section) {
    case 'runs':
      return id === undefined ? <RunsPage state={state} /> : <RunPage runId={id} key={id} />;
    case 'approvals':
      return (
        <div class="page">
          <h2 class="page-title">{t('nav.approvals')}</h2>
          <ApprovalsList state={state} />
        </div>
      );
    case 'library':
      if (id !== 'recipe' && id !== 'agent') return <LibraryPage />;
      return <EntryPage kind={id} id={part} key={`${id} ${part}`} />;
    case 'knowledge':
      return id === undefined ? <KnowledgePage /> : <DocumentPage documentId={id} key={id} />;
    case 'settings':
      return <SettingsPage />;
    case 'welcome':
      return <WelcomePage modelConfigured={state.model.configured} />;
    case 'workflows':
      if (id === 'import') return <ImportPage />;
      return id === undefined ? (
        <WorkflowsPage state={state} />
      ) : (
        <WorkflowPage workflowId={id} state={state} key={id} form={part === 'start' ? form : undefined} />
      );
  }
}
