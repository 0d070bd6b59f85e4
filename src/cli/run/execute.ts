import type { RunDetail } from '../../app/protocol.ts';
import { originPattern } from '../browser/grants.ts';
import { oneSentence, RunFailure } from './failure.ts';
import { pageOf, saveArtifacts, saveExport } from './files.ts';
import { type Followed, follow } from './follow.ts';
import { giver } from './give.ts';
import type { Io } from './io.ts';
import { type LeftRun, leftBehind, waitingText } from './left.ts';
import { configureModel, modelWords } from './model.ts';
import type { RunOptions } from './options.ts';
import { defaultFolder, OutFolder } from './out-folder.ts';
import { withOutputs } from './outputs.ts';
import { Progress } from './progress.ts';
import { EXIT, exitCodeOf, refusedResult, resultOf } from './result.ts';
import { openSession, type Session } from './session.ts';
import { begin, prepare, RefusedError } from './start-run.ts';
import { onStopSignals } from './stop.ts';
import { oneLine } from './text.ts';
import { failureText, treeText } from './tree.ts';

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
    const prepared = options.file === undefined ? undefined : prepare(options.file, options.library, options.input, io);
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

/**
 * As {@link execute}, with a run that could not go on said in one sentence.
 * @returns the exit status
 */
export async function executeSaid(options: RunOptions, io: Io, env: NodeJS.ProcessEnv): Promise<number> {
  try {
    return (await execute(options, io, env)).exitCode;
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    io.complain(oneSentence(error));
    return error.exitCode;
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
  let left: LeftRun | undefined;
  const stop = onStopSignals(session, io);
  try {
    if (options.model) {
      await configureModel(session.background, options.model, env);
      io.say(`The model is ${modelWords(options.model)}.`);
    }
    const runId = prepared ? await begin(session, prepared, options, io) : (options.resume as string);
    const mine = { runId, profileDir: session.profileDir, again: options.again };
    // One that is to be gone on with has to be found first.
    if (prepared) left = mine;
    stop.watch(runId);
    let folder: OutFolder | undefined;
    const folderOf = (detail: RunDetail) => {
      folder ??= new OutFolder(options.outDir ?? defaultFolder(detail.run.workflowId, new Date()));
      return folder;
    };
    const { detail, waitsFor } = await followRun(session, runId, options, io, folderOf, stop.signal, () => {
      left = mine;
    });
    let exitCode = await finish(session, detail, io, folderOf(detail));
    const { exportFile } = options;
    if (exportFile !== undefined && !(await saveExport(session.background, runId, exportFile, io)))
      exitCode ||= EXIT.failed;
    if (waitsFor) io.complain(waitingText(waitsFor, mine));
    else left = undefined;
    if (!options.headless && io.interactive && !left && !stop.signal.aborted) {
      await io.ask('Press Enter to close the browser. ', stop.signal).catch(() => '');
    }
    return { exitCode, folder };
  } catch (error) {
    throw leftBehind(error, left, session.browser.cdp.closed, io.complain);
  } finally {
    stop.dispose();
    await session.close(left !== undefined && options.again === undefined);
  }
}

async function followRun(
  session: Session,
  runId: string,
  options: RunOptions,
  io: Io,
  folderOf: (detail: RunDetail) => OutFolder,
  signal: AbortSignal,
  found: () => void,
): Promise<Followed> {
  const progress = new Progress(io.say);
  let detail: RunDetail | undefined;
  let told: string | undefined;
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
      found();
      progress.update(look);
      const { storage } = look;
      if (storage && storage.message !== told) io.complain(storage.message);
      told = storage?.message;
    },
    give,
  });
}

/** Saves the files, shows the tree, says the result. @returns the exit status */
async function finish(session: Session, detail: RunDetail, io: Io, folder: OutFolder): Promise<number> {
  await saveArtifacts(session, detail, folder);
  const page = await pageOf(session, detail);
  if (page) folder.write('last-page.png', page);
  const now = Date.now();
  const full = await withOutputs(session.background, detail);
  io.say(`\n${treeText(detail, now)}`);
  const failure = failureText(detail);
  if (failure !== undefined) io.complain(failure);
  if (full.run.output !== undefined) io.say(`Output: ${oneLine(JSON.stringify(full.run.output), 4000)}`);
  if (folder.written.length > 0) io.say(`Files in ${folder.path}: ${folder.written.join(', ')}`);
  io.result(resultOf(full, now));
  return exitCodeOf(detail.run.status);
}
