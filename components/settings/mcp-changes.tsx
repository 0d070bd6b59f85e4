import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../../src/model/json.ts';
import type { ToolChange } from '../../src/ports/mcp.ts';
import { Changes } from '../approval/diff.tsx';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { errorWords } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';

/**
 * Tools that their servers describe otherwise than when they were pinned, each with what has changed, to be accepted or left alone.
 * @param version another one has them looked up again
 */
export function McpChanges({ version }: { version: number }) {
  const [changes, setChanges] = useState<readonly ToolChange[]>([]);
  const load = () =>
    ask('mcp.changes', {}).then(
      (answer) => setChanges(answer.changes),
      (reason: unknown) => notify(errorWords(reason).text),
    );
  useEffect(() => void load(), [version]);
  const accept = async ({ server, tool, hash }: ToolChange) => {
    try {
      setChanges((await ask('mcp.accept', { server, tool, hash })).changes);
      notify(t('settings.mcpAccepted', { server, tool }));
    } catch (reason) {
      notify(errorWords(reason).text);
      void load();
    }
  };
  return (
    <>
      {changes.map((change) => {
        const words = { server: change.server, tool: visible(change.tool) };
        return (
          <div class="card stack-s" key={`${change.server} ${change.tool}`} data-testid="mcp-change">
            <p>{t('settings.mcpChanged', words)}</p>
            <Changes before={shown(change.before)} after={shown(change.now)} />
            <div class="row">
              <Button
                small
                aria-label={t('settings.mcpAcceptTool', words)}
                data-testid="mcp-accept"
                onClick={() => void accept(change)}
              >
                {t('settings.mcpAccept')}
              </Button>
            </div>
          </div>
        );
      })}
    </>
  );
}

/** Signs that nobody sees, or that turn around what is beside them: in words for a model they would be read all the same. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;

function visible(text: string): string {
  return text.replace(HIDDEN, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A tool as it is compared, with nothing hidden in its texts. */
function shown(tool: ToolChange['now']): Json {
  return JSON.parse(JSON.stringify(tool), (_, value: unknown) =>
    typeof value === 'string' ? visible(value) : value,
  ) as Json;
}
