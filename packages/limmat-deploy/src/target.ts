import { hostname, userInfo } from "node:os";
import { Time } from "limmat";
import { readStub } from "./stub.ts";
import type { ApplicationFacts } from "./application-facts.ts";
import { errors } from "./errors.ts";
import type { HostFacts } from "./host-facts.ts";
import { processManager } from "./process-manager.ts";
import type { Progress } from "./progress.ts";
import type { HeldScript, Remote, RunOptions } from "./remote.ts";
import type { ServiceDescription, ServiceManager } from "./service-manager.ts";
import type { DeploySettings, ServiceKind } from "./settings.ts";
import { type Script, sh } from "./shell.ts";
import { systemd } from "./systemd.ts";

/** Host that a deployment runs on, with everything that its steps need. */
export interface DeployTarget {
  readonly remote: Remote;
  readonly settings: DeploySettings;
  readonly facts: HostFacts;
  readonly application: ApplicationFacts;
  readonly manager: ServiceManager;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Returns the service manager for a host: the one of the settings, else the one of the last deployment, else the one that
 * the host prefers.
 *
 * @throws E_DEPLOY_REQUIREMENT
 */
export function chooseManager(host: string, settings: DeploySettings, facts: HostFacts): ServiceManager {
  const { name, workers } = settings;
  const { folder, user } = facts;
  const description: ServiceDescription = { name, folder, user, workers };
  const fail = (problem: string): Error => errors.E_DEPLOY_REQUIREMENT(host, problem);
  if (facts.isRoot && !settings.allowRoot) {
    throw fail(
      "the login is root, and the application would run as root. Log in as another user, or allow it with --allow-root",
    );
  }
  const kind: ServiceKind | undefined =
    settings.service === "auto" ? (facts.lastService ?? facts.services[0]) : settings.service;
  if (kind === undefined) {
    throw fail("it has no systemd that this user can use. Log in with sudo rights, or use --service=process");
  }
  const { lastService } = facts;
  // The servers of both would start with the host, and only one of them gets the port.
  if (lastService !== undefined && lastService !== kind) {
    const { removal } = makeManager(lastService, description);
    throw fail(
      `its service is "${lastService}", not "${kind}". To change it, first run "${removal} && rm ${folder}/run/service" on the host`,
    );
  }
  // An installed unit of the system needs sudo only when it is changed, started or stopped.
  const canUse = kind === "process" || kind === lastService || facts.services.includes(kind);
  if (canUse) return makeManager(kind, description);
  throw fail(
    kind === "systemd" ? "systemd, or sudo without a password, is missing" : "systemd of the user does not answer",
  );
}

const makeManager = (kind: ServiceKind, description: ServiceDescription): ServiceManager =>
  kind === "process" ? processManager(description) : systemd(description, kind === "systemd" ? "system" : "user");

/** Returns the folder of a release on the host. */
export const releaseFolder = ({ folder }: Pick<HostFacts, "folder">, release: string): string =>
  `${folder}/releases/${release}`;

/** Returns the file in which the supervisor of the workers writes its state. */
export const stateFileOf = ({ folder }: Pick<HostFacts, "folder">): string => `${folder}/run/server.json`;

/**
 * Runs a script as a part of a step, and returns its standard output.
 *
 * @throws E_DEPLOY_STEP with the end of the output if it fails.
 */
export async function runStep(
  { remote }: DeployTarget,
  step: string,
  script: Script,
  options?: RunOptions,
): Promise<string> {
  const { code, stdout, stderr } = await remote.run(script, options);
  if (code === 0) return stdout;
  throw errors.E_DEPLOY_STEP(step, lastLines(`${stdout}\n${stderr}`) || `exit code ${code}`);
}

const maxReportedLines = 40;

/** Returns the end of an output, each line indented. */
export function lastLines(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(-maxReportedLines)
    .map((line) => `  ${line}`)
    .join("\n");
}

/**
 * Takes the lock of the host, which ends with the connection at the latest.
 *
 * @throws E_DEPLOY_LOCKED, E_DEPLOY_REQUIREMENT if the folder of the application cannot be made or written
 */
export async function lockHost({ remote, facts }: DeployTarget): Promise<HeldScript> {
  const held = await remote.hold(sh`folder=${facts.folder}
if ! failure=$({ mkdir -p "$folder/run" && : >>"$folder/run/lock"; } 2>&1); then
  echo "failed $failure"
  exit 1
fi
exec 9>>"$folder/run/lock"
if flock -n 9; then
  echo ${lockOwner()} >"$folder/run/lock-owner"
  echo locked
  exec cat >/dev/null
fi
echo "taken $(cat "$folder/run/lock-owner" 2>/dev/null)"`);
  if (held.line === "locked") return held;
  await held.release();
  if (held.line.startsWith("failed ")) {
    const reason = held.line.slice("failed ".length);
    const problem = `the folder ${facts.folder} cannot be made or written: ${reason}. Make it there for ${facts.user}, or set "folder"`;
    throw errors.E_DEPLOY_REQUIREMENT(remote.name, problem);
  }
  throw errors.E_DEPLOY_LOCKED(remote.name, held.line.slice("taken ".length));
}

function lockOwner(): string {
  let user = "unknown";
  try {
    user = userInfo().username;
  } catch {
    // A container can run as a user without a name.
  }
  return `${user} on ${hostname()} since ${Time.now().toISOString()}`;
}

/** Worker or supervisor that runs on the host. */
export interface RunningWorker {
  readonly number: number;
  readonly pid?: number;
  readonly program: string;
}

/** State of the server on the host, as `server --state-file` writes it. */
export interface RunningServer {
  readonly pid: number;
  readonly node: string;
  readonly program: string;
  readonly startedAt: string;
  readonly workers: readonly RunningWorker[];
}

/** Outcome of a task of the agent. */
export interface AgentOutcome {
  readonly ok: boolean;
  readonly reason?: string;
  /** End of the output of a rehearsal that failed. */
  readonly output?: string;
  readonly supervisor?: RunningServer;
  /** Number of replaced workers. */
  readonly workers?: number;
  /** Number of successful requests. */
  readonly requests?: number;
}

/** Tasks of the agent, which `stubs/agent.mjs.stub` implements. */
export type AgentAction = "rehearse" | "reload" | "start" | "check" | "state";

/** Runs a task on the host with the Node of a release. */
export async function runAgent(
  target: DeployTarget,
  release: string,
  action: AgentAction,
  options: Pick<RunOptions, "isUninterruptible"> = {},
): Promise<AgentOutcome> {
  const { facts, settings } = target;
  const folder = releaseFolder(facts, release);
  const task = {
    action,
    release: folder,
    stateFile: stateFileOf(facts),
    health: settings.health,
    timeoutMs: settings.healthTimeoutSeconds * 1000,
  };
  const stdout = await runStep(
    target,
    `agent ${action}`,
    sh`${environmentOf(folder)}
exec "$release/node_modules/.bin/node" --input-type=module - ${JSON.stringify(task)}`,
    { input: readStub("agent.mjs"), ...options },
  );
  return JSON.parse(stdout) as AgentOutcome;
}

/** Returns the lines of a script that set `release` and the environment of its commands. */
export const environmentOf = (folder: string): Script => sh`release=${folder}
cd "$release"
export FRAMEWORK_ENV=production NODE_COMPILE_CACHE="$release/node_modules/.cache/limmat"`;
