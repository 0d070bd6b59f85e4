import { checkInput } from '../../engine/preflight/index.ts';
import { patternProblem } from '../../engine/preflight/shape.ts';
import { nameOf } from '../../model/library.ts';
import type { App, Handlers } from '../app.ts';

type Names = Extract<keyof Handlers, `entries.${string}` | `entry.${string}`>;

/** Recipes and agents of the library, for the person who keeps them. */
export function entryHandlers(app: App): Pick<Handlers, Names> {
  const { entries, library, engine, updates, triggers } = app;
  const changed = async (): Promise<void> => {
    await triggers.changed();
    updates.push(['workflows']);
  };
  return {
    'entries.list': async () => ({ entries: await entries.list() }),
    'entry.get': async ({ kind, id, revision }) => (await entries.find(kind, id, revision)) ?? null,
    async 'entry.check'({ source }) {
      const { definition, problems } = entries.check(source);
      const { kind, id } = definition ? nameOf(definition) : {};
      const exists = kind !== undefined && id !== undefined && (await app.store.entry(kind, id)) !== undefined;
      return { definition: definition ?? null, exists, problems };
    },
    async 'entry.save'({ source, as }) {
      const saved = await entries.save(source, as);
      if ('row' in saved) await changed();
      return saved;
    },
    async 'entry.remove'({ kind, id }) {
      const removed = await entries.remove(kind, id);
      await changed();
      return { removed };
    },
    async 'entry.try'({ source, input, goal, sites }) {
      const { definition, problems } = entries.check(source);
      const no = (code: string, message: string, found = problems) => ({ refused: { code, message, problems: found } });
      if (!definition) return no('preflight_failed', 'The file has errors; correct them and try it again.');
      const bad = (sites ?? []).flatMap((site) => patternProblem(site) ?? []);
      if (bad.length > 0)
        return no(
          'preflight_failed',
          bad.join(' '),
          bad.map((message) => ({ code: 'schema_invalid', severity: 'error', message, pointer: '/sites' })),
        );
      const revision = await entries.trial(definition, { goal, sites });
      const given = { input };
      const unfit = checkInput(revision.definition, given);
      const found = [...unfit, ...(await library.environment(revision.definition))].filter(
        ({ severity }) => severity === 'error',
      );
      if (found.length > 0) {
        const code = unfit.length === found.length ? 'input_invalid' : 'preflight_failed';
        return no(code, found.map(({ message }) => message).join(' '), found);
      }
      const result = await engine.start({ revision, input: given, trigger: { type: 'manual' } });
      return result.ok ? { runId: result.runId } : no(result.code, result.message, []);
    },
  };
}
