import { currentImpersonation } from "../../authorization/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { settlesWithin, Time } from "../../time/index.ts";

const log = Log.source("limmat.http");

/** Work of a server that continues after its responses. The server waits for it when it stops. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>();

  /**
   * Returns a function that runs the work in the next turn of the event loop, with the log fields and the impersonation of the
   * current context. Its promise is resolved when the work has finished or failed. An error is logged.
   */
  prepare(work: () => unknown): () => Promise<void> {
    const fields = LogInternals.currentFields() ?? {};
    const acting = currentImpersonation.getStore();
    const run = acting === undefined ? work : () => currentImpersonation.run(acting, work);
    return () => {
      const finished = runNextTurn(() => Log.withFields(fields, run)).catch((error: unknown) =>
        Log.withFields(fields, () => log.error("The work after a response failed", { error })),
      );
      this.#running.add(finished);
      return finished.finally(() => void this.#running.delete(finished));
    };
  }

  /** Waits until all work has finished, but at most until a time of `Time.monotonic`. Logs how much is abandoned then. */
  async finish(deadlineMs: number): Promise<void> {
    while (this.#running.size > 0) {
      const isFinished = Promise.all(this.#running);
      if (await settlesWithin(isFinished, deadlineMs - Time.monotonic())) continue;
      return log.warning("The server stopped before the work after its responses", { unfinished: this.#running.size });
    }
  }
}

async function runNextTurn(work: () => unknown): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  await work();
}
