// Ends the processes of a run when the runner has ended, in whatever way, SIGKILL included.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Guard of the processes of a run. */
export interface ProcessGuard {
  /** Adds a process group. */
  readonly add: (groupId: number) => void;
  /** Removes a process group that has ended. */
  readonly remove: (groupId: number) => void;
  /** Ends all processes that are left, and resolves when they have got their signal. */
  readonly end: () => Promise<void>;
}

/**
 * Starts the guard: a process that reads the groups of the run from a pipe, and kills them when the pipe is closed, which the
 * system does whenever the runner ends. On Linux, it also kills processes outside of these groups, such as daemons, with the
 * folder of the run in the variable LIMMAT_TEST_RUN. It deletes the folder.
 */
export function startProcessGuard(folder: string): ProcessGuard {
  // A marked guard would be killed by the guard of a run around this one.
  const { LIMMAT_TEST_RUN: _, ...env } = process.env;
  const guard = spawn(process.execPath, [join(import.meta.dirname, "process-guard-program.ts"), folder], {
    // A group of its own: Ctrl-C must not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
    env,
  });
  const exited = once(guard, "exit");
  // EPIPE: somebody has ended the guard.
  guard.stdin.on("error", () => {});
  guard.unref();
  return {
    add: (groupId) => void guard.stdin.write(`+${groupId}\n`),
    remove: (groupId) => void guard.stdin.write(`-${groupId}\n`),
    end: async () => {
      guard.ref();
      guard.stdin.end();
      await exited;
    },
  };
}
