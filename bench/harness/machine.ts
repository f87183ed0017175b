import { spawnSync } from "node:child_process";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** Machine of a run: enough to judge the results, nothing that identifies it. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory: string;
  readonly os: string;
  readonly node: string;
  readonly pinned: boolean;
}

const canPin = availableParallelism() >= 2 && spawnSync("taskset", ["--version"]).status === 0;

/** Core of the contestants, or `undefined` if processes cannot be pinned. */
export const serverCore: string | undefined = canPin ? "0" : undefined;

const half = Math.max(1, Math.floor(availableParallelism() / 2));

/** Cores of contestants with several processes: half of all. */
export const serverCores: string | undefined = canPin ? `0-${half - 1}` : undefined;

/** Moves this process, the load client, off the core of the contestants. */
export function pinClient(): void {
  if (canPin) spawnSync("taskset", ["-acp", `1-${availableParallelism() - 1}`, String(process.pid)]);
}

export const machine: Machine = {
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  os: `${type()} ${release().split("-")[0]}`,
  node: process.version,
  pinned: canPin,
};
