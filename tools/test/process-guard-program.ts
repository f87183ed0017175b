// Program of the process guard. Its argument is the folder of the run, which marks the processes of the run and is deleted.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";

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
for (let round = 0; round < maxRounds && markedProcesses().filter(kill).length > 0; round++) await setTimeout(pauseMs);
rmSync(folder, { recursive: true, force: true });

/** Kills a process or group. Returns false if it does not exist any more. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

/** Returns the processes with the marker in their environment. Only Linux shows it. A process that has ended shows none. */
function markedProcesses(): readonly number[] {
  if (process.platform !== "linux" || folder === "") return [];
  const variable = `LIMMAT_TEST_RUN=${folder}`;
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(variable)).map(Number);
}

/** Returns the environment of a process; nothing if it has ended or belongs to another user. */
function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
