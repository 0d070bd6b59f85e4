import { ClipboardPaste, FilePlus2, FolderPlus, Globe } from 'lucide-preact';
import { useId, useRef, useState } from 'preact/hooks';
import { ACCEPTED } from '../../src/view/documents/kinds.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { AreaField, SelectField, TextField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { type OpenPage, openPages } from '../platform.ts';
import { chosenFiles, droppedFiles } from './dropped.ts';
import type { Intake } from './intake.ts';
import { IntakeReport } from './intake-report.tsx';
import { checked, type ReadProblem, readPasted } from './read.ts';

type Way = 'paste' | 'page';

/** Adding documents: dropped, chosen, pasted, or read from an open page, all into one collection. */
export function AddDocuments({ intake, collections }: { intake: Intake; collections: readonly string[] }) {
  const [collection, setCollection] = useState('');
  const [way, setWay] = useState<Way>();
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const listId = useId();
  const name = collection.trim().replace(/^#/, '');
  const bad = name.length > 200 || name.startsWith('#');
  const into = name === '' ? [] : [name];
  const busy = intake.progress !== undefined;

  const chosen = (input: HTMLInputElement) => {
    const list = chosenFiles(input.files);
    // The same file can be chosen again.
    input.value = '';
    if (list.length > 0) void intake.addFiles(list, into);
  };

  return (
    <section class="stack" aria-label={t('kb.add')} data-testid="kb-add">
      <h3>{t('kb.add')}</h3>
      <TextField
        label={t('kb.collection')}
        value={collection}
        onValue={setCollection}
        autocomplete="off"
        testid="kb-collection"
        problem={bad ? t('kb.collectionBad') : undefined}
        help={name === '' ? t('kb.collectionHelpEmpty') : t('kb.collectionHelp', { name })}
        {...(collections.length > 0 && { list: listId })}
      />
      <datalist id={listId}>
        {collections.map((each) => (
          <option value={each} key={each} />
        ))}
      </datalist>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way; the buttons in it do the same by keyboard */}
      <div
        class={`kb-drop ${over ? 'kb-drop-over' : ''}`}
        data-testid="kb-drop"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (event.dataTransfer && !bad) void intake.addFiles(droppedFiles(event.dataTransfer), into);
        }}
      >
        <p class="muted">{t('kb.drop')}</p>
        <div class="row">
          <Button
            kind="primary"
            inert={busy || bad}
            icon={<FilePlus2 size={16} aria-hidden="true" />}
            onClick={() => files.current?.click()}
          >
            {t('kb.files')}
          </Button>
          <Button
            inert={busy || bad}
            icon={<FolderPlus size={16} aria-hidden="true" />}
            onClick={() => folder.current?.click()}
          >
            {t('kb.folder')}
          </Button>
          <Button
            icon={<ClipboardPaste size={16} aria-hidden="true" />}
            aria-expanded={way === 'paste'}
            data-testid="kb-paste"
            onClick={() => setWay(way === 'paste' ? undefined : 'paste')}
          >
            {t('kb.paste')}
          </Button>
          <Button
            icon={<Globe size={16} aria-hidden="true" />}
            aria-expanded={way === 'page'}
            data-testid="kb-page"
            onClick={() => setWay(way === 'page' ? undefined : 'page')}
          >
            {t('kb.page')}
          </Button>
        </div>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          accept={ACCEPTED}
          data-testid="kb-files"
          onChange={(event) => chosen(event.currentTarget)}
        />
        <input
          ref={folder}
          type="file"
          hidden
          {...({ webkitdirectory: true } as object)}
          data-testid="kb-folder"
          onChange={(event) => chosen(event.currentTarget)}
        />
      </div>
      {way === 'paste' && <Paste intake={intake} into={into} blocked={busy || bad} />}
      {way === 'page' && <FromPage intake={intake} into={into} blocked={busy || bad} />}
      <IntakeReport intake={intake} />
    </section>
  );
}

interface WayProps {
  intake: Intake;
  into: string[];
  blocked: boolean;
}

function Paste({ intake, into, blocked }: WayProps) {
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<ReadProblem>();
  const add = async () => {
    const read = readPasted(title, text);
    if ('problem' in read) return setProblem(read.problem);
    if (await intake.add([{ ...read.draft, collections: into }])) {
      setTitle('');
      setText('');
    }
  };
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!blocked) void add();
      }}
    >
      <TextField
        label={t('kb.pasteTitle')}
        value={title}
        onValue={setTitle}
        autocomplete="off"
        testid="kb-paste-title"
      />
      <AreaField
        label={t('kb.pasteText')}
        value={text}
        rows={6}
        problem={problem && t(`kb.problem.${problem}`)}
        onValue={(next) => {
          setText(next);
          setProblem(undefined);
        }}
        testid="kb-paste-text"
      />
      <div class="row">
        <Button type="submit" kind="primary" inert={blocked} onClick={() => undefined} data-testid="kb-paste-add">
          {t('kb.pasteAdd')}
        </Button>
      </div>
    </form>
  );
}

function FromPage({ intake, into, blocked }: WayProps) {
  const [pages, setPages] = useState<OpenPage[]>();
  const [tabId, setTabId] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const look = () =>
    openPages().then((found) => {
      setPages(found);
      setTabId((before) =>
        found.some((page) => String(page.tabId) === before) ? before : String(found[0]?.tabId ?? ''),
      );
    });
  const looked = useRef(false);
  if (!looked.current) {
    looked.current = true;
    void look();
  }
  const add = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { title, url, markdown } = await ask('knowledge.page', { tabId: Number(tabId) });
      const read = checked({
        title: title.slice(0, 200).toWellFormed().trim() || new URL(url).hostname,
        content: markdown,
        // What comes after the number sign is a place on the page.
        source: { kind: 'page', name: url.replace(/#.*$/, '').slice(0, 2000) },
      });
      if ('problem' in read) setError(new Error(t(`kb.problem.${read.problem}`)));
      else await intake.add([{ ...read.draft, collections: into }]);
    } catch (reason) {
      setError(reason);
    }
    setBusy(false);
  };
  if (pages?.length === 0)
    return (
      <div class="card stack-s">
        <p>{t('kb.pageNone')}</p>
        <div class="row">
          <Button small onClick={() => void look()}>
            {t('kb.pageAgain')}
          </Button>
        </div>
      </div>
    );
  return (
    <div class="card stack">
      <SelectField
        label={t('kb.pageChoose')}
        value={tabId}
        onValue={setTabId}
        testid="kb-page-choose"
        options={(pages ?? []).map((page) => ({
          value: String(page.tabId),
          label: `${page.title.slice(0, 80)} – ${new URL(page.url).host}`,
        }))}
      />
      {error !== undefined && <ErrorBox error={error} />}
      <div class="row">
        <Button
          kind="primary"
          busy={busy}
          inert={blocked || tabId === ''}
          data-testid="kb-page-add"
          onClick={() => void add()}
        >
          {t('kb.pageAdd')}
        </Button>
      </div>
    </div>
  );
}
