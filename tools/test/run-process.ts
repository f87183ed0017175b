// Child processes of a test run. Each is the leader of a process group, so that its own children end with it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { root } from "./test-files.ts";

/** Result of a process that has ended. */
export interface ProcessResult {
  /** Exit code, or the signal that ended the process. */
  readonly exit: number | NodeJS.Signals;
  /** Standard output and standard error, in the order of arrival. */
  readonly output: string;
}

const hasProcessGroups = process.platform !== "win32";

/** Time between SIGTERM and SIGKILL, in milliseconds. */
const killDelayMs = 3000;

/** Runs a program in the root of the repository. An aborted signal ends it and all of its children. */
export async function runProcess(
  program: string,
  args: readonly string[],
  { env = process.env, signal }: { readonly env?: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<ProcessResult> {
  signal.throwIfAborted();
  const child = spawn(program, [...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasProcessGroups,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  let killTimer: NodeJS.Timeout | undefined;
  const abort = (): void => {
    killGroup(child, "SIGTERM");
    killTimer = setTimeout(() => killGroup(child, "SIGKILL"), killDelayMs);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    const closed = once(child, "close");
    const [code, exitSignal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    // A process that a test left behind would keep its end of the output open.
    killGroup(child, "SIGKILL");
    await closed;
    return { exit: code ?? exitSignal ?? 1, output };
  } finally {
    clearTimeout(killTimer);
    signal.removeEventListener("abort", abort);
  }
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
