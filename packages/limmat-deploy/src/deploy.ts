import { type Command, Time } from "limmat";
import { applicationFacts } from "./application-facts.ts";
import { checkRelease, rehearse } from "./check-release.ts";
import { errors } from "./errors.ts";
import { inUseMark, readHostFacts } from "./host-facts.ts";
import { installPackages, uploadRelease } from "./install-release.ts";
import { planLines } from "./plan.ts";
import { prepareHost } from "./prepare-host.ts";
import { Progress } from "./progress.ts";
import { previousRelease, releaseName, releasePattern } from "./release.ts";
import type { Remote } from "./remote.ts";
import type { DeploySettings } from "./settings.ts";
import { sh } from "./shell.ts";
import { packAssets } from "./pack-assets.ts";
import { packSource } from "./source.ts";
import { completeRelease, switchRelease } from "./switch-release.ts";
import { chooseManager, lockHost, releaseFolder, type DeployTarget } from "./target.ts";

/** Options of one run, from the command line. */
export interface DeployOptions {
  /** True if files that are not committed are part of the release. */
  readonly isDirty: boolean;
  /** True if nothing is changed, and the plan is printed. */
  readonly isDryRun: boolean;
  /** Local file that replaces the configuration of the host. */
  readonly envFile: string | undefined;
}

/** Context of the command `deploy`. */
export interface DeployContext extends Command.CommandContext {
  /** Absolute path of the folder of the project. */
  readonly root: string;
}

/** Work on one host. */
export interface DeployRun {
  readonly remote: Remote;
  readonly settings: DeploySettings;
  readonly context: DeployContext;
}

/** Reads the properties of a host, and chooses its service manager. */
export async function openTarget({ remote, settings, context }: DeployRun): Promise<DeployTarget> {
  const progress = new Progress(context.output);
  const { signal } = context;
  return progress.step(`connect to ${remote.name}`, async () => {
    const facts = await readHostFacts(remote, settings.folder);
    const manager = chooseManager(remote.name, settings, facts);
    const application = applicationFacts(context.services);
    return { remote, settings, facts, application, manager, progress, signal };
  });
}

/**
 * Deploys the project to a host.
 *
 * Until the health check of the new release has passed, the current release runs and does not notice. A failure before that
 * deletes the new release; a failure after that brings the current one back.
 *
 * @throws E_DEPLOY_GIT, E_DEPLOY_LOCKED, E_DEPLOY_STEP, E_DEPLOY_HEALTH
 */
export async function deploy(run: DeployRun, { isDirty, isDryRun, envFile }: DeployOptions): Promise<void> {
  const { context, settings } = run;
  const startMs = Time.monotonic();
  const target = await openTarget(run);
  const { progress, signal } = target;
  const { root } = context;
  const assets = await packAssets(root, progress, signal);
  const include = [...assets, ...settings.include];
  await using source = await progress.step("collect the files", () => packSource(root, { isDirty, include, signal }));
  const release = releaseName(source.commit);
  if (isDryRun) {
    for (const line of planLines(target, release)) context.output.print(line);
    return;
  }
  const lock = await lockHost(target);
  try {
    // The facts may be those of a moment before the lock.
    const locked = { ...target, facts: await readHostFacts(target.remote, settings.folder) };
    await prepareHost(locked, envFile);
    try {
      await uploadRelease(locked, source, release);
      await installPackages(locked, source, release);
      await checkRelease(locked, release);
      await rehearse(locked, release);
      await switchRelease(locked, release);
    } catch (error) {
      await deleteRelease(locked, release);
      throw error;
    }
    await completeRelease(locked, release, "deploy");
    context.output.print(`Deployed ${release} to ${target.remote.name} in ${secondsSince(startMs)} s.`);
    if (locked.facts.current === undefined && locked.manager.limitation !== undefined) {
      context.output.note(`${locked.manager.limitation}.`);
    }
  } finally {
    await lock.release();
  }
}

/** Deletes a release that was not deployed. The next deployment does it if the connection is gone. */
async function deleteRelease({ remote, facts }: DeployTarget, release: string): Promise<void> {
  const folder = releaseFolder(facts, release);
  const script = sh`if [ -e ${`${folder}/${inUseMark}`} ]; then exit 0; fi
[ "$(readlink ${`${facts.folder}/current`})" = ${`releases/${release}`} ] || rm -rf ${folder}`;
  await remote.run(script, { isUninterruptible: true }).catch(() => {});
}

/** Prepares a host for the first deployment: folders, configuration and units. */
export async function setup(run: DeployRun, envFile: string | undefined): Promise<void> {
  const target = await openTarget(run);
  const lock = await lockHost(target);
  try {
    await prepareHost(target, envFile);
  } finally {
    await lock.release();
  }
  const { folder } = target.facts;
  run.context.output.print(
    `${target.remote.name} is ready. The configuration is ${folder}/shared/.env.production.local.`,
  );
}

/**
 * Lets an earlier release answer the requests, with the same health checks as a deployment. The database stays as it is.
 *
 * @param to name of the release. Default: the one before the current one.
 * @throws E_DEPLOY_RELEASE, E_DEPLOY_LOCKED, E_DEPLOY_HEALTH
 */
export async function rollback(run: DeployRun, to: string | undefined): Promise<void> {
  const startMs = Time.monotonic();
  const target = await openTarget(run);
  const lock = await lockHost(target);
  try {
    const { facts } = target;
    const release = findRelease(facts.releases, facts.current, to);
    await rehearse(target, release);
    await switchRelease(target, release);
    await completeRelease(target, release, "rollback");
    const duration = secondsSince(startMs);
    run.context.output.print(`${release} answers the requests of ${target.remote.name} again, after ${duration} s.`);
  } finally {
    await lock.release();
  }
}

function findRelease(releases: readonly string[], current: string | undefined, to: string | undefined): string {
  const release = to ?? previousRelease(releases, current ?? "");
  if (release === undefined) throw errors.E_DEPLOY_RELEASE("There is no release before the current one", releases);
  const exists = releasePattern.test(release) && releases.includes(release);
  if (!exists) throw errors.E_DEPLOY_RELEASE(`"${release}" is not a release on the host`, releases);
  if (release === current) throw errors.E_DEPLOY_RELEASE(`"${release}" is the current release`, releases);
  return release;
}

const secondsSince = (startMs: number): string => ((Time.monotonic() - startMs) / 1000).toFixed(1);
