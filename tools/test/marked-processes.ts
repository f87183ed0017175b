// Processes with a variable in their environment, which children inherit.
import { readdirSync, readFileSync } from "node:fs";

/** Running process. */
export interface MarkedProcess {
  readonly pid: number;
  /** Program and arguments. */
  readonly command: string;
}

/**
 * Returns the running processes with an environment variable, such as `LIMMAT_TEST_RUN=/tmp/run`. Only Linux shows it, and only
 * for processes of this user.
 */
export function markedProcesses(variable: string): readonly MarkedProcess[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProcess(pid, "environ").includes(variable))
    .map((pid) => ({ pid: Number(pid), command: readProcess(pid, "cmdline").join(" ").trim() }));
}

/** Returns the texts of a file of a process. Returns none if the process has ended or belongs to another user. */
function readProcess(pid: string, file: "environ" | "cmdline"): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
  } catch {
    return [];
  }
}
