import { Time } from "limmat";
import type { DeployRun } from "./deploy.ts";
import { openTarget } from "./deploy.ts";
import { errors } from "./errors.ts";
import { releaseOfPath } from "./release.ts";
import { sh } from "./shell.ts";
import { lastLines, lockHost, runAgent, runStep, type DeployTarget } from "./target.ts";

/** Prints the releases of a host and the state of its server. Returns false if the server is not healthy. */
export async function printStatus(run: DeployRun): Promise<boolean> {
  const target = await openTarget(run);
  const { facts, manager } = target;
  const { print } = run.context.output;
  print(`${target.remote.name}: ${facts.folder}, ${manager.kind}`);
  const { current } = facts;
  if (current === undefined) {
    print("No release is deployed.");
    return false;
  }
  const [{ supervisor }, health] = await Promise.all([
    runAgent(target, current, "state"),
    runAgent(withTimeout(target, statusTimeoutSeconds), current, "check"),
  ]);
  for (const name of facts.releases) print(`  ${name === current ? "*" : " "} ${name}`);
  if (supervisor === undefined) print("The server does not run.");
  else {
    const nameOf = (program: string): string => releaseOfPath(program, facts.folder) ?? program;
    print(`The supervisor runs since ${supervisor.startedAt} (process ${supervisor.pid}, Node ${supervisor.node}).`);
    for (const { number, pid, program } of supervisor.workers) {
      print(`  worker ${number}: process ${pid}, ${nameOf(program)}`);
    }
  }
  print(health.ok ? "It is healthy." : `It is not healthy: ${health.reason}`);
  return health.ok;
}

const statusTimeoutSeconds = 3;

const withTimeout = (target: DeployTarget, healthTimeoutSeconds: number): DeployTarget => ({
  ...target,
  settings: { ...target.settings, healthTimeoutSeconds },
});

/** Options of `printLogs`. */
export interface LogOptions {
  readonly lines: number;
  /** True if new lines are printed until a signal. */
  readonly isFollowing: boolean;
  /** True if only errors are printed. */
  readonly onlyErrors: boolean;
}

/** Prints the end of the log of the application. After a rotation, until the next entry, that is the rotated file. */
export async function printLogs(run: DeployRun, { lines, isFollowing, onlyErrors }: LogOptions): Promise<void> {
  const { facts, remote } = await openTarget(run);
  const file = `${facts.folder}/shared/logs/${onlyErrors ? "error" : "app"}.log`;
  let rest = "";
  const onOutput = (text: string): void => {
    const complete = `${rest}${text}`.split("\n");
    rest = complete.pop() ?? "";
    for (const line of complete) run.context.output.print(line);
  };
  // A rotation replaces the file: -F opens the new one, and waits for a file that does not exist.
  const script = isFollowing
    ? sh`exec tail -n ${lines} -F ${file} 2>/dev/null`
    : sh`file=${file}
if [ -e "$file" ]; then tail -n ${lines} "$file"
elif [ -e "$file.1.gz" ]; then gzip -dc "$file.1.gz" | tail -n ${lines}
fi`;
  const { code, stderr } = await remote.run(script, { onOutput });
  if (rest !== "") run.context.output.print(rest);
  if (code !== 0) throw errors.E_DEPLOY_STEP("logs", lastLines(stderr));
}

/** Stops the server and starts it again, with the Node and the supervisor of the current release. */
export async function restart(run: DeployRun): Promise<void> {
  const target = await openTarget(run);
  const { facts, manager, progress } = target;
  const { current } = facts;
  if (current === undefined) throw errors.E_DEPLOY_RELEASE("No release is deployed", facts.releases);
  const lock = await lockHost(target);
  try {
    await progress.step("restart the server", async () => {
      const startMs = Time.monotonic();
      await runStep(target, "stop", manager.stop());
      await runStep(target, "start", manager.start());
      for (const action of ["start", "check"] as const) {
        const { ok, reason = "" } = await runAgent(target, current, action);
        if (ok) continue;
        const { stdout } = await target.remote.run(manager.explain(Time.monotonic() - startMs));
        throw errors.E_DEPLOY_HEALTH(current, "it is not ready.", `${lastLines(reason)}\n${lastLines(stdout)}`);
      }
    });
  } finally {
    await lock.release();
  }
}
