import type { WorkerPool } from "./fork.ts";
import type { Supervision } from "./supervise.ts";

/**
 * Supervises worker processes that run the program of this process.
 *
 * Imports the implementation on demand, because most starts need no workers (docs/decisions/017).
 *
 * @throws E_WORKERS_START, E_WORKERS_FAILED as `supervise`.
 */
export async function superviseWorkers(supervision: Omit<Supervision, keyof WorkerPool>): Promise<void> {
  const [{ makeWorkerPool }, { supervise }] = await Promise.all([import("./fork.ts"), import("./supervise.ts")]);
  await supervise({ ...supervision, ...makeWorkerPool() });
}
