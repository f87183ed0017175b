import type { WorkerPool } from "./fork.ts";
import type { Supervision } from "./supervise.ts";

/** Options of `superviseWorkers`. */
export interface WorkerSupervision extends Omit<Supervision, keyof WorkerPool | "onStateChange"> {
  /** Path of a JSON file with the state of the supervision, for tools. Default: none is written. */
  readonly stateFile?: string | undefined;
}

/**
 * Supervises worker processes that run the program of this process.
 *
 * Imports the implementation on demand, because most starts need no workers (docs/decisions/017).
 *
 * @throws E_WORKERS_START, E_WORKERS_FAILED as `supervise`.
 */
export async function superviseWorkers({ stateFile, ...supervision }: WorkerSupervision): Promise<void> {
  const [{ makeWorkerPool }, { supervise }] = await Promise.all([import("./fork.ts"), import("./supervise.ts")]);
  if (stateFile === undefined) return supervise({ ...supervision, ...makeWorkerPool() });
  const { StateFile } = await import("./state-file.ts");
  using file = new StateFile(stateFile);
  const onStateChange = file.write.bind(file);
  await supervise({ ...supervision, ...makeWorkerPool(), onStateChange });
}
