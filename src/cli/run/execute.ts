import type { RunDetail } from '../../app/protocol.ts';
import { CdpError } from '../browser/cdp.ts';
import { originPattern } from '../browser/grants.ts';
import { RunFailure } from './failure.ts';
import { pageOf, saveArtifacts } from './files.ts';
import { type Followed, follow } from './follow.ts';
import { giver } from './give.ts';
import type { Io } from './io.ts';
import { configureModel, modelWords } from './model.ts';
import { leftWaiting } from './needs.ts';
import type { RunOptions } from './options.ts';
import { defaultFolder, OutFolder } from './out-folder.ts';
import { withOutputs } from './outputs.ts';
import { Progress } from './progress.ts';
import { EXIT, exitCodeOf, refusedResult, resultOf } from './result.ts';
import { openSession, type Session } from './session.ts';
import { begin, prepare, RefusedError } from './start-run.ts';
import { onStopSignals } from './stop.ts';
import { oneLine } from './text.ts';
import { treeText } from './tree.ts';

/** What a call of `run` came to. */
export interface Executed {
  exitCode: number;
  /** Where its files are; the folder exists only if there are any. */
  folder?: OutFolder;
}

/**
 * Does what `tabloom run` says: checks, launches, grants, imports, starts, follows, and ends with the run.
 * @returns the exit status, also for refusals, which are said on standard error.
 * @throws the errors of the launcher and {@link RunFailure}, each with one sentence.
 */
export async function execute(options: RunOptions, io: Io, env: NodeJS.ProcessEnv): Promise<Executed> {
  try {
    const prepared = options.file === undefined ? undefined : prepare(options.file, options.input, io);
    const grants = [...options.grants];
    // Its own grant spares the endpoint the CORS headers that few local servers send.
    if (options.model?.baseUrl !== undefined) grants.push(originPattern(options.model.baseUrl));
    const session = await openSession({
      headless: options.headless,
      profileDir: options.profileDir,
      grants: [...new Set(grants)],
      say: io.say,
    });
    return await inSession(session, options, io, env, prepared);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    for (const line of error.lines) io.complain(line);
    io.result(refusedResult(error.problems, { code: error.code, message: error.message }));
    return { exitCode: EXIT.refused };
  }
}

async function inSession(
  session: Session,
  options: RunOptions,
  io: Io,
  env: NodeJS.ProcessEnv,
  prepared: ReturnType<typeof prepare> | undefined,
): Promise<Executed> {
  // From the start of the run on something would be lost with the profile.
  let kept: string | undefined;
  const stop = onStopSignals(session, io);
  try {
    if (options.model) {
      await configureModel(session.background, options.model, env);
      io.say(`The model is ${modelWords(options.model)}.`);
    }
    const runId = prepared ? await begin(session, prepared, options, io) : (options.resume as string);
    kept = runId;
    stop.watch(runId);
    let folder: OutFolder | undefined;
    const folderOf = (detail: RunDetail) => {
      folder ??= new OutFolder(options.outDir ?? defaultFolder(detail.run.workflowId, new Date()));
      return folder;
    };
    const followed = await followRun(session, runId, options, io, folderOf, stop.signal);
    if (followed.waitsFor === undefined) kept = undefined;
    const exitCode = await finish(session, followed, io, folderOf(followed.detail));
    if (!options.headless && io.interactive && kept === undefined && !stop.signal.aborted) {
      await io.ask('Press Enter to close the browser. ', stop.signal).catch(() => '');
    }
    return { exitCode, folder };
  } catch (error) {
    throw leftBehind(error, session, kept);
  } finally {
    stop.dispose();
    await session.close(kept !== undefined);
  }
}

async function followRun(
  session: Session,
  runId: string,
  options: RunOptions,
  io: Io,
  folderOf: (detail: RunDetail) => OutFolder,
  signal: AbortSignal,
): Promise<Followed> {
  const progress = new Progress(io.say);
  let detail: RunDetail | undefined;
  const give = giver({
    session,
    runId,
    options,
    io,
    signal,
    folder: () => folderOf(detail as RunDetail),
  });
  return follow(session.background, runId, {
    onLook: (look) => {
      detail = look;
      progress.update(look);
    },
    give,
  });
}

/** Saves the files, shows the tree, says the result. @returns the exit status */
async function finish(session: Session, { detail, waitsFor }: Followed, io: Io, folder: OutFolder): Promise<number> {
  await saveArtifacts(session, detail, folder);
  const page = await pageOf(session, detail);
  if (page) folder.write('last-page.png', page);
  const now = Date.now();
  const full = await withOutputs(session.background, detail);
  io.say(`\n${treeText(detail, now)}`);
  if (full.run.output !== undefined) io.say(`Output: ${oneLine(JSON.stringify(full.run.output), 4000)}`);
  if (folder.written.length > 0) io.say(`Files in ${folder.path}: ${folder.written.join(', ')}`);
  if (waitsFor) io.complain(leftWaiting(waitsFor, detail.run.runId, session.profileDir));
  io.result(resultOf(full, now));
  return exitCodeOf(detail.run.status);
}

/**
 * What is said when a run could not be followed to its end: it stays in the profile, and how to go on. A browser that was closed by
 * hand is said as such, not as a broken connection.
 */
function leftBehind(error: unknown, session: Session, runId: string | undefined): unknown {
  const closed = error instanceof CdpError && session.browser.cdp.closed;
  if (!closed && !(error instanceof RunFailure)) return error;
  const what = closed ? 'The browser was closed before the run ended.' : (error as Error).message;
  if (runId === undefined) return closed ? new RunFailure(`${what} Run it again.`) : error;
  return new RunFailure(
    `${what} The run stays; go on with tabloom run --resume ${runId} --profile ${session.profileDir}.`,
    EXIT.waiting,
  );
}
