import type { CoveredAct } from '../../src/model/run.ts';
import { type ActGroup, actSentence, groupActs } from '../../src/view/act-sentence.ts';
import { Rich, t, translator } from '../kit/i18n.tsx';

const OPEN_GROUPS = 1;

/** The exact acts an approval covers. Few stand in one list; many are grouped by item, each group can be opened, none is left out. */
export function Acts({ acts }: { acts: readonly CoveredAct[] }) {
  if (acts.length === 0) return <p class="muted">{t('approval.noActs')}</p>;
  const groups = groupActs(acts);
  return (
    <div class="stack-s">
      <h3>{t('approval.acts', { n: acts.length })}</h3>
      {groups.length === 1 && groups[0] ? (
        <ActList acts={groups[0].acts} />
      ) : (
        groups.map((group, i) => <Group group={group} open={i < OPEN_GROUPS} key={group.key} />)
      )}
    </div>
  );
}

function Group({ group, open }: { group: ActGroup; open: boolean }) {
  const count = t('approval.actCount', { n: group.acts.length });
  return (
    <details class="act-group" open={open} data-testid="act-group">
      <summary>
        {group.item === undefined ? count : t('approval.actsOfItem', { item: group.item, acts: count })}
      </summary>
      <ActList acts={group.acts} />
    </details>
  );
}

function ActList({ acts }: { acts: readonly CoveredAct[] }) {
  return (
    <ol class="acts">
      {acts.map((act, i) => (
        <Act act={act} key={`${act.path}:${i}`} />
      ))}
    </ol>
  );
}

function Act({ act }: { act: CoveredAct }) {
  const said = actSentence(act, translator.value);
  return (
    <li class="act" data-testid="cover" data-path={act.path}>
      <p>
        <span class="act-verb">{said.verb}</span>{' '}
        {said.target !== undefined && (
          <b class="act-target" dir="auto">
            {said.target}
          </b>
        )}{' '}
        {said.origin !== undefined && (
          <span class="act-origin">
            <Rich k="approval.onOrigin" with={{ origin: <b dir="ltr">{said.origin}</b> }} />
          </span>
        )}
        {said.tab !== undefined && <span class="muted small"> {t('approval.inTab', { tab: said.tab })}</span>}
      </p>
      {said.value !== undefined && (
        <p class="row-tight">
          <span class="muted small nowrap">{t('approval.withValue')}</span>
          <span class="value clamp" dir="auto" tabIndex={said.value.length > 400 ? 0 : undefined}>
            {said.value === '' ? t('common.empty') : said.value}
          </span>
        </p>
      )}
      {said.dialog !== undefined && (
        <p class="small" dir="auto" data-testid="act-dialog">
          {said.dialog}
        </p>
      )}
      {said.pairs && (
        <dl class="pairs small">
          {said.pairs.map((pair, i) => [
            <dt key={`k${i}`} dir="auto">
              {pair.target}
            </dt>,
            <dd key={`v${i}`}>
              <span class="value" dir="auto">
                {pair.value === '' ? t('common.empty') : pair.value}
              </span>
            </dd>,
          ])}
        </dl>
      )}
      {said.rest && (
        <dl class="pairs small">
          {Object.entries(said.rest).map(([key, value]) => [
            <dt key={`k${key}`} dir="auto">
              {key}
            </dt>,
            <dd key={`v${key}`}>
              <span class="value" dir="auto">
                {typeof value === 'string' ? value : JSON.stringify(value)}
              </span>
            </dd>,
          ])}
        </dl>
      )}
    </li>
  );
}
