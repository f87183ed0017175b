import { PgBoss } from "pg-boss";
import { type Input, type Open } from "./contestant.ts";

/** Opens pg-boss with batches, fetched without a pause while they are full, as its documentation recommends for throughput. */
export const open: Open = async ({ url, works, handle }) => {
  const boss = new PgBoss({ connectionString: url, useListenNotify: works });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("bench", { notify: works });
  if (works) {
    const options = { batchSize: 100, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
    await boss.work<Input>("bench", options, async (jobs) => {
      for (const { data } of jobs) handle(data);
    });
  }
  return {
    dispatch: (input) => boss.send("bench", input),
    dispatchAll: (inputs) =>
      boss.insert(
        "bench",
        inputs.map((data) => ({ data })),
      ),
  };
};
