import type { Supervision } from "./supervise.ts";

/**
 * Supervises processes with the program of this one. How is loaded here: most starts never need it (docs/decisions/008).
 *
 * @throws E_WORKERS_START, E_WORKERS_FAILED as `supervise`.
 */
export async function superviseWorkers(supervision: Omit<Supervision, "fork">): Promise<void> {
  const [{ makeFork }, { supervise }] = await Promise.all([import("./fork.ts"), import("./supervise.ts")]);
  await supervise({ ...supervision, fork: makeFork() });
}
