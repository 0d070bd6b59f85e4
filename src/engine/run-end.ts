import { canonicalJson } from '../model/canonical.ts';
import { type ErrorInfo, TabloomError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { cancelList } from './flow.ts';
import { attempt, emit, MAX_VALUE, type Machine, scopeOf } from './machine.ts';
import { beginRollback, cutRollback } from './rollback.ts';
import { withoutSecrets } from './secrets/index.ts';
import { resolve } from './values/template.ts';

/**
 * Ends a run: what is under way is aborted, what has not begun is cancelled, the output is resolved.
 * @param by who cancelled it, where somebody did
 */
export function endRun(
  m: Machine,
  status: 'completed' | 'partial' | 'failed' | 'cancelled',
  error?: ErrorInfo,
  by?: string,
): void {
  const { root } = m.state;
  if (m.state.undo) {
    cutRollback(m, error ?? { code: 'cancelled', message: 'The rollback was cancelled.' });
    return;
  }
  let final = status;
  let cause = error;
  let output: Json | undefined;
  if (root && (status === 'completed' || status === 'partial') && m.plan.workflow.output !== undefined) {
    const resolved = attempt('', () => {
      const value = resolve(m.plan.workflow.output as Json, scopeOf(m, root), { step: '', field: 'output' });
      if (canonicalJson(value).length > MAX_VALUE)
        throw new TabloomError(
          'output_too_large',
          'Keep it as an artifact: the output of the run is larger than 1 MiB.',
        );
      return withoutSecrets(m.plan.workflow, 'The output of the run', value);
    });
    if ('ok' in resolved) output = resolved.ok;
    else if (status === 'completed') {
      final = 'failed';
      // It stands in no step.
      const { step: _, ...outside } = resolved.error;
      cause = outside;
    }
  }
  if (root && final !== 'completed') {
    m.state.failing = cause ?? { code: 'cancelled', message: 'The run was cancelled.' };
    cancelList(m, root, final === 'cancelled' ? 'the run was cancelled' : 'the run has failed', by);
  }
  if (m.state.failing && (final === 'failed' || final === 'cancelled') && beginRollback(m, final, m.state.failing))
    return;
  m.agenda = [];
  m.places.clear();
  m.parked.clear();
  emit(m, 'run.ended', undefined, { status: final, output, error: cause });
  m.effects.push({ type: 'ended' });
}
