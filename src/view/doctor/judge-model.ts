import type { MessageKey, Translator } from '../messages/index.ts';
import { type Check, fail, ok, someOf, unlooked, warn } from './check.ts';
import type { ConnectionFacts, Looked, ModelFacts } from './facts.ts';

/** Accounts, keys and names as they are set up; nothing is called. */
export function judgeModel(models: Looked<ModelFacts>, tr: Translator): Check {
  if (!models.ok) return unlooked('model', models.fault.message, tr);
  const { accounts, default: model, defaultAccount, unmetModel } = models.value;
  const workflows = someOf(unmetModel, tr);
  if (accounts.length === 0)
    return unmetModel.length > 0
      ? fail('model', tr.t('doctor.model.noneNeeded', { workflows }), tr.t('doctor.model.noneNext'))
      : warn('model', tr.t('doctor.model.none'), tr.t('doctor.model.noneNext'));
  if (model === undefined) return warn('model', tr.t('doctor.model.noDefault'), tr.t('doctor.model.noDefaultNext'));
  const account = accounts.find(({ id }) => id === defaultAccount);
  if (!account) return fail('model', tr.t('doctor.model.unknown', { model }), tr.t('doctor.model.unknownNext'));
  if (!account.hasAddress)
    return fail('model', tr.t('doctor.model.noAddress', { account: account.id }), tr.t('doctor.model.noAddressNext'));
  if (account.needsKey && !account.hasKey)
    return fail('model', tr.t('doctor.model.noKey', { account: account.id }), tr.t('doctor.model.noKeyNext'));
  if (unmetModel.length > 0)
    return warn('model', tr.t('doctor.model.unmet', { workflows }), tr.t('doctor.model.unmetNext'));
  const keyless = accounts.filter(({ needsKey, hasKey }) => needsKey && !hasKey).map(({ id }) => id);
  if (keyless.length > 0)
    return warn(
      'model',
      tr.t('doctor.model.otherNoKey', { accounts: someOf(keyless, tr) }),
      tr.t('doctor.model.noKeyNext'),
    );
  return ok('model', `${tr.t('doctor.model.ok', { model })} ${tr.t('doctor.model.accounts', { n: accounts.length })}`);
}

/** What a call of the default model came to. */
export function judgeConnection(facts: ConnectionFacts, tr: Translator): Check {
  const { model, message, code = 'network', status } = facts;
  if (facts.ok) return ok('connection', tr.t('doctor.connection.ok', { model }));
  if (!facts.online && code === 'network')
    return fail('connection', tr.t('doctor.connection.offline'), tr.t('doctor.connection.offlineNext'));
  const key = `doctor.connection.next.${status === 404 ? 'notFound' : code}`;
  const next = tr.has(key) ? key : 'doctor.connection.next.bad_request';
  return fail(
    'connection',
    tr.t('doctor.connection.failed', { model, message }),
    tr.t(next as Extract<MessageKey, `doctor.connection.next.${string}`>),
  );
}
