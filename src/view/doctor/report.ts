import type { Translator } from '../messages/index.ts';
import { type Check, GLYPHS } from './check.ts';
import type { ConnectionFacts, DoctorFacts, Fault, Looked } from './facts.ts';
import { judge } from './judge.ts';

/** One check as one line of plain text: glyph, word, what it is about, what was found, what to do. */
export function checkLine({ id, state, message, todo }: Check, width = 10): string {
  const head = `${GLYPHS[state]} ${state.padEnd(4)}  ${id.padEnd(width)}  ${message}`;
  return todo === undefined ? head : `${head} → ${todo}`;
}

/**
 * The report that a person may paste anywhere: judged anew from facts without names, so that nothing can get in which is not an id of a
 * run, a code, a number, a time or a version.
 */
export function reportText(facts: DoctorFacts, tr: Translator, connection?: ConnectionFacts): string {
  const checks = judge(withoutNames(facts, tr), tr, connection && withoutWords(connection));
  return [
    `Tabloom ${facts.extension.version} diagnostics, ${new Date(facts.now).toISOString()}`,
    ...checks.map((check) => checkLine(check)),
    '',
  ].join('\n');
}

/** What somebody else said is left out: it may quote anything. */
const codeOf = ({ code, name }: Fault): Fault => ({ code, message: name === undefined ? code : `${code} ${name}` });

function bare<T>(looked: Looked<T>, change: (value: T) => T = (value) => value): Looked<T> {
  return looked.ok ? { ok: true, value: change(looked.value) } : { ok: false, fault: codeOf(looked.fault) };
}

/** Facts with everything replaced that a person has named, or that tells which sites they visit. */
export function withoutNames(facts: DoctorFacts, tr: Translator): DoctorFacts {
  const { worker, database, journals, grants, models, alarms, runs } = facts;
  const nameless = (word: string) => {
    const known = new Map<string, string>();
    return (name: string) => {
      const alias = known.get(name) ?? `${word}-${known.size + 1}`;
      known.set(name, alias);
      return alias;
    };
  };
  const site = nameless('site');
  const workflow = nameless('workflow');
  const account = nameless('account');
  return {
    ...facts,
    worker: {
      ...worker,
      ...(worker.bootFault && { bootFault: codeOf(worker.bootFault) }),
      ...(worker.lastFault && {
        lastFault: { at: worker.lastFault.at, message: tr.t('doctor.faults.withheld') },
      }),
    },
    database: bare(database, (value) => ({ ...value, probe: bare(value.probe) })),
    ...(journals && { journals: bare(journals) }),
    ...(grants && {
      grants: bare(grants, ({ granted, missing }) => ({
        granted: granted.map(site),
        missing: missing.map((each) => ({
          ...each,
          origin: site(each.origin),
          workflows: each.workflows.map(workflow),
        })),
      })),
    }),
    ...(models && {
      models: bare(models, (value) => ({
        accounts: value.accounts.map((each) => ({ ...each, id: account(each.id) })),
        ...(value.default === undefined ? {} : { default: 'model-1' }),
        ...(value.defaultAccount === undefined ? {} : { defaultAccount: account(value.defaultAccount) }),
        unmetModel: value.unmetModel.map(workflow),
        unmetSecret: value.unmetSecret.map(workflow),
      })),
    }),
    ...(alarms && { alarms: bare(alarms) }),
    ...(runs && { runs: bare(runs) }),
  };
}

function withoutWords(connection: ConnectionFacts): ConnectionFacts {
  const { code, status } = connection;
  const words = [code, status].filter((part) => part !== undefined).join(' ');
  return { ...connection, model: 'model-1', message: words === '' ? '' : `(${words})` };
}
