import { useEffect, useState } from 'preact/hooks';
import { type BridgeState, bridgeConfiguration } from '../../src/model/bridge-settings.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { TextField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { notify } from '../kit/toast.tsx';
import { state } from '../state.ts';

/** The MCP bridge: what a client may do, how it is set up, pairing this profile, who has called, and taking it back. */
export function BridgeSection() {
  const [bridge, setBridge] = useState<BridgeState>();
  const [error, setError] = useState<unknown>();
  const load = () => ask('bridge.get', {}).then(setBridge, setError);
  // Asked again with every new state: the link comes and goes, and clients call.
  useEffect(() => void load(), [state.value]);

  return (
    <section class="settings-section" data-testid="bridge">
      <h3>{t('clients.heading')}</h3>
      <p class="muted">{t('clients.lead')}</p>
      <p class="muted">{t('clients.may')}</p>
      {error !== undefined && (
        <ErrorBox
          error={error}
          onRetry={() => {
            setError(undefined);
            void load();
          }}
        />
      )}
      {!bridge && error === undefined && <Skeleton lines={2} />}
      {bridge && <Setup />}
      {bridge && !bridge.paired && <Pairing bridge={bridge} onPaired={setBridge} />}
      {bridge?.paired && <Paired bridge={bridge} onChange={setBridge} />}
    </section>
  );
}

/** What goes into a client's configuration. */
function Setup() {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(bridgeConfiguration());
      notify(t('common.copied'));
    } catch {
      notify(t('clients.copyFailed'));
    }
  };
  return (
    <details>
      <summary>{t('clients.setup')}</summary>
      <div class="stack-s">
        <p class="muted small">{t('clients.setupLead')}</p>
        <pre class="snippet" data-testid="bridge-configuration" dir="ltr">
          {bridgeConfiguration()}
        </pre>
        <div>
          <Button small data-testid="bridge-copy" onClick={() => void copy()}>
            {t('common.copy')}
          </Button>
        </div>
      </div>
    </details>
  );
}

function Pairing({ bridge, onPaired }: { bridge: BridgeState; onPaired: (state: BridgeState) => void }) {
  const [code, setCode] = useState('');
  const [label, setLabel] = useState(bridge.label);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const pair = async () => {
    setBusy(true);
    try {
      onPaired(await ask('bridge.pair', { code, label }));
      notify(t('clients.pairedNow'));
    } catch (reason) {
      setProblem(errorWords(reason).text);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void pair();
      }}
    >
      <div class="columns">
        <TextField
          label={t('clients.label')}
          help={t('clients.labelHelp')}
          value={label}
          onValue={setLabel}
          autocomplete="off"
          testid="bridge-label"
        />
        <TextField
          label={t('clients.code')}
          help={t('clients.codeHelp')}
          value={code}
          problem={problem}
          onValue={(text) => {
            setCode(text);
            setProblem(undefined);
          }}
          autocomplete="off"
          testid="bridge-code"
        />
      </div>
      <div>
        <Button type="submit" busy={busy} inert={code.trim() === ''} data-testid="bridge-pair">
          {busy ? t('clients.pairing') : t('clients.pair')}
        </Button>
      </div>
    </form>
  );
}

function Paired({ bridge, onChange }: { bridge: BridgeState; onChange: (state: BridgeState) => void }) {
  const unpair = async () => {
    if (!confirm(t('clients.unpairAsk'))) return;
    try {
      onChange(await ask('bridge.unpair', {}));
      notify(t('clients.unpaired'));
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };
  return (
    <div class="stack">
      <ul class="card list">
        <li class="list-row">
          <span class="grow stack-s">
            <span>
              <b dir="auto">{bridge.label}</b>{' '}
              <span data-testid="bridge-link">{bridge.linked ? t('clients.linked') : t('clients.notLinked')}</span>
            </span>
            {bridge.pairedAt !== undefined && (
              <span class="muted small">
                {t('clients.since')} <RelativeTime at={bridge.pairedAt} />
              </span>
            )}
            {bridge.message !== undefined && <span class="muted small">{bridge.message}</span>}
          </span>
          <Button small data-testid="bridge-unpair" onClick={() => void unpair()}>
            {t('clients.unpair')}
          </Button>
        </li>
      </ul>
      {bridge.clients.length === 0 ? (
        <p class="muted">{t('clients.noClients')}</p>
      ) : (
        <ul class="card list" aria-label={t('clients.clients')}>
          {bridge.clients.map(({ name, version, lastSeenAt }) => (
            <li class="list-row" data-testid="bridge-client" key={name}>
              <span class="grow">
                <b dir="auto">{name}</b> {version !== undefined && <span class="muted">{version}</span>}
              </span>
              <span class="muted small">
                <RelativeTime at={lastSeenAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
