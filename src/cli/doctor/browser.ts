import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TabloomError } from '../../model/errors.ts';
import { type Check, fail, ok } from '../../view/doctor/check.ts';
import { type ConnectionFacts, type DoctorFacts, judge, judgeSilence } from '../../view/doctor/judge.ts';
import { translatorFor } from '../../view/messages/index.ts';
import { buildDir } from '../browser/build.ts';
import { openExtensionPage } from '../browser/extension-page.ts';
import { type LaunchedBrowser, launchBrowser } from '../browser/launch.ts';
import { type Background, backgroundOf } from '../run/background.ts';

export interface LookOptions {
  headless: boolean;
  /** The browser to start. */
  executablePath?: string;
  /** A profile that is there; a temporary one when absent. */
  profileDir?: string;
  /** Call the default model once. */
  testModel: boolean;
}

/** How long the extension may take to show up: on a machine at its limits the first start of a profile takes half a minute. */
const START_MS = 90_000;
/** How long the background may take to answer at all, and to come to an end of its start. Milliseconds. */
const ANSWER_MS = 60_000;
const READY_MS = 60_000;
const TEST_MS = 60_000;

/**
 * Starts the browser with the built extension and has the background look at itself. Nothing is attached to the worker. Ends in bounded
 * time, also when the extension does not start or its database does not open.
 */
export async function lookInBrowser(options: LookOptions): Promise<Check[]> {
  const temporary = options.profileDir === undefined;
  const profileDir = temporary
    ? await mkdtemp(join(tmpdir(), 'tabloom-doctor-'))
    : resolve(options.profileDir as string);
  const giveUp = () => {
    // The browser goes with the pipes that we hold.
    if (temporary) rmSync(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    process.exit(130);
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, giveUp);
  let browser: LaunchedBrowser | undefined;
  try {
    browser = await launchBrowser({
      profileDir,
      extensionDir: buildDir('chrome'),
      headless: options.headless,
      executablePath: options.executablePath,
      timeoutMs: START_MS,
    });
    return [ok('launch', 'The browser starts with the extension in it.'), ...(await lookAt(browser, options))];
  } catch (error) {
    return [notStarted(error)];
  } finally {
    await browser?.close();
    if (temporary) await rm(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, giveUp);
  }
}

function notStarted(error: unknown): Check {
  const text = error instanceof Error ? error.message : String(error);
  return fail(
    'launch',
    `The browser does not start with the extension: ${text}`,
    'Do what it says, then call tabloom doctor again.',
  );
}

async function lookAt(browser: LaunchedBrowser, options: LookOptions): Promise<Check[]> {
  const tr = translatorFor('en');
  const page = await openExtensionPage(browser.cdp, 'app.html#/settings/diagnostics');
  const background = backgroundOf(page);
  const facts = await factsOf(background);
  if (!facts) return judgeSilence(tr);
  return judge(facts, tr, options.testModel ? await connectionOf(background, facts) : undefined);
}

/** Asks until the background has started or says why it cannot; `undefined` when it does not answer. */
async function factsOf(background: Background): Promise<DoctorFacts | undefined> {
  const begin = Date.now();
  let facts: DoctorFacts | undefined;
  for (;;) {
    try {
      facts = await background.ask('doctor.get', {});
      if (facts.worker.ready || facts.worker.bootFault || Date.now() - begin > READY_MS) return facts;
    } catch {
      // A worker that is just starting has no listener yet.
      if (Date.now() - begin > ANSWER_MS) return facts;
    }
    await sleep(500);
  }
}

async function connectionOf(background: Background, facts: DoctorFacts): Promise<ConnectionFacts> {
  const model = (facts.models?.ok && facts.models.value.default) || 'The default model';
  try {
    return { ...(await background.ask('models.test', {}, TEST_MS)), model, online: true };
  } catch (error) {
    const code = TabloomError.is(error) ? error.code : 'network';
    return { ok: false, model, online: true, code, message: error instanceof Error ? error.message : String(error) };
  }
}
