import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { concurrency, type Input, type Open } from "./contestant.ts";

/** Opens Graphile Worker with the local queue that its documentation recommends for many small jobs. */
export const open: Open = async ({ url, works, handle }) => {
  const logger = new Logger(() => () => undefined);
  const preset = {
    worker: {
      connectionString: url,
      maxPoolSize: concurrency + 2,
      concurrentJobs: concurrency,
      localQueue: { size: 100 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  };
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  const taskList = { bench: (payload: unknown): void => handle(payload as Input) };
  if (works) await run({ preset, taskList, noHandleSignals: true, logger });
  return {
    dispatch: (input) => utils.addJob("bench", input),
    dispatchAll: (inputs) => utils.addJobs(inputs.map((payload) => ({ identifier: "bench", payload }))),
  };
};
