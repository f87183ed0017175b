// Program of the process guard. Its argument is the folder of the run, which marks the processes of the run and is deleted.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { markedProcesses } from "./marked-processes.ts";

/** Number of searches for processes that are left, and pause between them in milliseconds. */
const maxRounds = 20;
const pauseMs = 50;

const [folder = ""] = process.argv.slice(2);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const groups = new Set<number>();
for await (const line of createInterface({ input: process.stdin })) {
  const groupId = Number(line.slice(1));
  if (line.startsWith("+")) groups.add(groupId);
  else groups.delete(groupId);
}

for (const groupId of groups) kill(process.platform === "win32" ? groupId : -groupId);
// A killed process may have started another one in the meantime, and takes a moment to end.
for (let round = 0; round < maxRounds && killMarked() > 0; round++) await setTimeout(pauseMs);
rmSync(folder, { recursive: true, force: true });

/** Kills a process or group. Returns false if it does not exist any more. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

/** Kills the processes of the run outside of its groups, such as daemons. Returns their number. */
function killMarked(): number {
  return markedProcesses(`LIMMAT_TEST_RUN=${folder}`).filter(({ pid }) => kill(pid)).length;
}
