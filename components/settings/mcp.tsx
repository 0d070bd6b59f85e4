import { Trash2 } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import { MCP_NAME, MCP_NAME_MAX, type McpSettings, mayBeMcp } from '../../src/model/mcp-settings.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { TextField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { requestAccess } from '../platform.ts';
import { McpChanges } from './mcp-changes.tsx';

/** MCP servers by name and address. Adding one asks for access to its site, since it is spoken to from here. */
export function McpSection() {
  const [settings, setSettings] = useState<McpSettings>();
  const [error, setError] = useState<unknown>();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [tested, setTested] = useState(0);
  const [problem, setProblem] = useState<{ name?: string; url?: string }>({});
  const load = () => ask('mcp.get', {}).then(setSettings, setError);
  useEffect(() => void load(), []);
  const servers = settings?.servers ?? [];

  const save = async (next: McpSettings) => {
    try {
      setSettings(await ask('mcp.set', next));
      return true;
    } catch (reason) {
      notify(errorWords(reason).text);
      return false;
    }
  };
  const add = () => {
    const address = url.trim();
    const found: typeof problem = {};
    if (!MCP_NAME.test(name) || name.length > MCP_NAME_MAX || servers.some((one) => one.name === name))
      found.name = t('settings.mcpNameBad');
    if (!mayBeMcp(address)) found.url = t('settings.mcpUrlBad');
    setProblem(found);
    if (found.name !== undefined || found.url !== undefined) return;
    // While the click still counts as one.
    requestAccess([new URL(address).origin]);
    void save({ servers: [...servers, { name, url: address }] }).then((saved) => {
      if (!saved) return;
      notify(t('settings.mcpSaved', { name }));
      setName('');
      setUrl('');
    });
  };
  const test = async (which: string) => {
    const { ok, tools, message } = await ask('mcp.test', { name: which });
    setTested((times) => times + 1);
    notify(ok ? t('settings.mcpTools', { n: tools.length, name: which }) : message);
  };

  return (
    <section class="settings-section" data-testid="mcp">
      <h3>{t('settings.mcp')}</h3>
      <p class="muted">{t('settings.mcpLead')}</p>
      {error !== undefined && (
        <ErrorBox
          error={error}
          onRetry={() => {
            setError(undefined);
            void load();
          }}
        />
      )}
      {!settings && error === undefined && <Skeleton lines={1} />}
      {settings && servers.length === 0 && <p class="muted">{t('settings.noMcp')}</p>}
      <McpChanges version={tested} />
      {servers.length > 0 && (
        <ul class="card list">
          {servers.map((each) => (
            <li class="list-row" key={each.name}>
              <span class="grow">
                <strong>{each.name}</strong>{' '}
                <code class="muted" dir="ltr">
                  {each.url}
                </code>
              </span>
              <Button
                small
                aria-label={t('settings.mcpTest', { name: each.name })}
                data-testid="mcp-test"
                onClick={() => {
                  requestAccess([new URL(each.url).origin]);
                  void test(each.name).catch((reason: unknown) => notify(errorWords(reason).text));
                }}
              >
                {t('settings.mcpTestShort')}
              </Button>
              <button
                type="button"
                class="icon-button"
                aria-label={t('settings.mcpRemove', { name: each.name })}
                title={t('settings.mcpRemove', { name: each.name })}
                onClick={() => void save({ servers: servers.filter((one) => one.name !== each.name) })}
              >
                <Trash2 size={16} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="entry"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <TextField
          label={t('settings.mcpName')}
          value={name}
          problem={problem.name}
          onValue={(text) => {
            setName(text);
            setProblem({});
          }}
          autocomplete="off"
          testid="mcp-name"
        />
        <TextField
          label={t('settings.mcpUrl')}
          value={url}
          problem={problem.url}
          onValue={(text) => {
            setUrl(text);
            setProblem({});
          }}
          autocomplete="off"
          testid="mcp-url"
        />
        <Button type="submit" onClick={() => undefined} inert={name === '' || url === ''} data-testid="mcp-save">
          {t('settings.mcpSave')}
        </Button>
      </form>
    </section>
  );
}
