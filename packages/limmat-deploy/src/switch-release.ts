import { Time } from "limmat";
import { errors } from "./errors.ts";
import { inUseMark, releaseMark } from "./host-facts.ts";
import { obsoleteReleases, releaseOfPath } from "./release.ts";
import { type Script, sh } from "./shell.ts";
import { type AgentOutcome, lastLines, releaseFolder, runAgent, runStep, type DeployTarget } from "./target.ts";

// A switch is completed or reverted, also after Ctrl-C.
const isUninterruptible = true;

/**
 * Lets a release answer the requests: leads `current` to it, replaces the workers one by one, and requests its health page
 * through the port of the server. If that fails, the release before takes over again in the same way.
 *
 * @throws E_DEPLOY_HEALTH
 */
export async function switchRelease(target: DeployTarget, release: string): Promise<void> {
  const { progress, settings, signal } = target;
  signal.throwIfAborted();
  const { supervisor } = await runAgent(target, release, "state");
  const isRunning = supervisor !== undefined;
  const startMs = Time.monotonic();
  const failSwitch = ({ reason = "" }: AgentOutcome): Promise<never> =>
    revert(target, release, { wasRunning: isRunning, reason, periodMs: Time.monotonic() - startMs });
  await progress.step(isRunning ? "replace the workers" : "start the server", async (setDetail) => {
    const outcome = await activate(target, release, isRunning);
    if (!outcome.ok) await failSwitch(outcome);
    if (outcome.workers !== undefined) setDetail(`${outcome.workers} workers`);
  });
  await progress.step("check the health", async (setDetail) => {
    const outcome = await runAgent(target, release, "check", { isUninterruptible });
    if (!outcome.ok) await failSwitch(outcome);
    setDetail(`${outcome.requests} requests of ${settings.health}`);
  });
}

/** Leads `current` to a release, and replaces the workers or starts the server. */
async function activate(target: DeployTarget, release: string, isRunning: boolean): Promise<AgentOutcome> {
  await runStep(target, "switch", pointTo(target, release), { isUninterruptible });
  if (isRunning) return runAgent(target, release, "reload", { isUninterruptible });
  const { code, stderr } = await target.remote.run(target.manager.start(), { isUninterruptible });
  if (code !== 0) return { ok: false, reason: stderr.trim() };
  return runAgent(target, release, "start", { isUninterruptible });
}

/** Replaces the symbolic link in one step (rename(2)): there is a current release at every moment. */
const pointTo = ({ facts: { folder } }: DeployTarget, release: string): Script => sh`cd ${folder}
rm -f .current.next
ln -s ${`releases/${release}`} .current.next
mv -Tf .current.next current`;

/** Switch that has failed. */
interface FailedSwitch {
  /** True if a server ran before the switch. */
  readonly wasRunning: boolean;
  readonly reason: string;
  /** Time since the start of the switch, in milliseconds. */
  readonly periodMs: number;
}

/** Reverts a switch, and throws E_DEPLOY_HEALTH. */
async function revert(
  target: DeployTarget,
  release: string,
  { wasRunning, reason: failure, periodMs }: FailedSwitch,
): Promise<never> {
  const { facts, manager, remote } = target;
  const explained = await remote.run(manager.explain(periodMs), { isUninterruptible });
  const report = `${lastLines(failure)}\n${lastLines(explained.stdout)}`;
  if (facts.current === undefined || !wasRunning) await remote.run(manager.stop(), { isUninterruptible });
  if (facts.current === undefined) {
    await remote.run(sh`rm -f ${`${facts.folder}/current`}`, { isUninterruptible });
    throw errors.E_DEPLOY_HEALTH(release, "the server was stopped.", report);
  }
  const { ok, reason = "" } = await activate(target, facts.current, wasRunning);
  const outcome = ok ? `${facts.current} runs again.` : `${facts.current} was not restored (${reason}).`;
  // Workers of the release may run on: its files must stay.
  if (!ok) await remote.run(sh`: >${`${releaseFolder(facts, release)}/${inUseMark}`}`, { isUninterruptible });
  throw errors.E_DEPLOY_HEALTH(release, outcome, report);
}

/** Marks a release as complete, records it in the history of the host, and deletes obsolete releases. */
export async function completeRelease(
  target: DeployTarget,
  release: string,
  action: "deploy" | "rollback",
): Promise<void> {
  const { facts, progress, settings } = target;
  const { supervisor } = await runAgent(target, release, "state");
  const programs = [supervisor?.program, ...(supervisor?.workers ?? []).map(({ program }) => program)];
  const inUse = [release, ...programs.flatMap((program) => releaseOfPath(program ?? "", facts.folder) ?? [])];
  const complete = [...new Set([...facts.releases, release])];
  const obsolete = obsoleteReleases(complete, inUse, settings.keepReleases);
  const kept = [...new Set([...complete.filter((name) => !obsolete.includes(name)), ...inUse])];
  await progress.step("clean up", async (setDetail) => {
    const deleted = await runStep(
      target,
      "clean up",
      sh`cd ${facts.folder}
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
mark=${`${releaseFolder(facts, release)}/${releaseMark}`}
if ! [ -e "$mark" ]; then printf '{"deployedAt":"%s"}\\n' "$now" >"$mark"; fi
printf '%s %s %s\\n' "$now" ${action} ${release} >>run/history
for folder in releases/*; do
  kept=no
  for name in ${kept}; do if [ "releases/$name" = "$folder" ]; then kept=yes; fi; done
  if [ "$kept" = no ]; then rm -rf "$folder"; echo "$folder"; fi
done`,
      { isUninterruptible },
    );
    const count = deleted.split("\n").filter((line) => line !== "").length;
    setDetail(count === 0 ? "" : `${count} old releases deleted`);
  });
}
