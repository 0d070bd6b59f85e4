import { useEffect, useState } from 'preact/hooks';
import type { RunDetail } from '../../src/app/protocol.ts';
import { ask } from '../client.ts';
import { runVersions } from '../state.ts';

/** A run in detail, asked for again whenever the background says that it changed. `null`: there is no such run. */
export function useRun(runId: string | undefined): {
  detail: RunDetail | null | undefined;
  error: unknown;
  retry: () => void;
} {
  const [detail, setDetail] = useState<RunDetail | null>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const version = runId === undefined ? 0 : (runVersions.value[runId] ?? 0);

  useEffect(() => {
    setDetail(undefined);
    setError(undefined);
  }, [runId]);

  useEffect(() => {
    if (runId === undefined) return;
    let current = true;
    ask('run.get', { runId }).then(
      (next) => {
        if (!current) return;
        setDetail(next);
        setError(undefined);
      },
      (reason: unknown) => current && setError(reason),
    );
    return () => {
      current = false;
    };
  }, [runId, version, tries]);

  return { detail, error, retry: () => setTries(tries + 1) };
}
