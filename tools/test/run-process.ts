// Child processes of a test run. Each is the leader of a process group, so that its own children end with it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describeRunningLines } from "./blocked-process.ts";
import type { ProcessGuard } from "./process-guard.ts";
import { root } from "./test-files.ts";

/** Result of a process that has ended. */
export interface ProcessResult {
  /** Exit code, or the signal that ended the process. */
  readonly exit: number | NodeJS.Signals;
  /** Standard output and standard error, in the order of arrival. */
  readonly output: string;
}

/** Options of a process. */
export interface ProcessOptions {
  /** Ends the process and its children when it is aborted. */
  readonly signal: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the process and its children if the runner is killed. */
  readonly guard?: ProcessGuard | undefined;
  /** Time limit in milliseconds. Default: none. */
  readonly limitMs?: number | undefined;
  /** True if Node opens an inspector after SIGUSR1 (`--inspect-port=0`), which tells what a blocked process runs. */
  readonly hasInspector?: boolean;
}

const hasProcessGroups = process.platform !== "win32";

/** Time between SIGTERM and SIGKILL, in milliseconds. */
const killDelayMs = 2000;

/** Turns of the event loop, 100 ms apart, in which the output of a process that has exited is read to its end. */
const closeTurns = 20;

/** Runs a program in the root of the repository. */
export async function runProcess(
  program: string,
  args: readonly string[],
  { signal, env = process.env, guard, limitMs, hasInspector = false }: ProcessOptions,
): Promise<ProcessResult> {
  signal.throwIfAborted();
  const child = spawn(program, [...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasProcessGroups,
  });
  const { pid, stderr } = child;
  if (pid !== undefined) guard?.add(pid);
  let output = "";
  for (const stream of [child.stdout, stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  let limitText = "";
  const timers: NodeJS.Timeout[] = [];
  const abort = (): void => {
    killGroup(child, "SIGTERM");
    timers.push(globalThis.setTimeout(() => killGroup(child, "SIGKILL"), killDelayMs));
  };
  const endAtLimit = async (): Promise<void> => {
    const lines = hasInspector && pid !== undefined ? await describeRunningLines({ pid, stderr }) : "";
    const problem = hasInspector ? " Its event loop is blocked." : "";
    limitText = `The process has not ended within ${(limitMs ?? 0) / 1000} s.${problem}\n${lines}\n`;
    killGroup(child, "SIGKILL");
  };
  if (limitMs !== undefined) timers.push(globalThis.setTimeout(() => void endAtLimit(), limitMs));
  signal.addEventListener("abort", abort, { once: true });
  try {
    const closed = once(child, "close");
    const [code, exitSignal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    // A process that a test left behind would keep its end of the output open, outside of the group as well.
    killGroup(child, "SIGKILL");
    await Promise.race([closed, turns(signal.aborted ? 1 : closeTurns)]);
    child.stdout.destroy();
    stderr.destroy();
    const ownOutput = limitText === "" ? output : output.replaceAll(/^(?:Debugger |For help, see:).*\n/gm, "");
    return { exit: code ?? exitSignal ?? 1, output: limitText + ownOutput };
  } finally {
    if (pid !== undefined) guard?.remove(pid);
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** Resolves after turns of the event loop. A machine that stands still for seconds delays them. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setTimeout(100, undefined, { ref: false });
}

/** Sends a signal to a process and all processes of its group. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(hasProcessGroups ? -pid : pid, signal);
  } catch (error) {
    // ESRCH: nothing is left of the group. EPERM: macOS reports it for a group of zombies.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
