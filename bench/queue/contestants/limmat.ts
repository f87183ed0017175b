import { App, Configuration, Migration, Queue, Schema, Web } from "limmat";
import type { Database } from "limmat/database";
import { concurrency, type Open } from "./contestant.ts";

const databases: Readonly<Record<string, () => Promise<Database>>> = {
  postgresql: async () => (await import("limmat/database/postgresql")).postgresql(),
  mariadb: async () => (await import("limmat/database/mariadb")).mariadb(),
  sqlite: async () => (await import("limmat/database/sqlite")).sqlite(),
};

/** Opens the queue of limmat on the application's database, with its defaults: inputs are validated, leases renewed. */
export const open: Open = async ({ url, engine, works, handle }) => {
  Configuration.store([
    ["DATABASE_URL", url],
    ["LOG_LEVEL", "error"],
    ["PORT", "0"],
    ["QUEUE_PROCESS", String(works)],
    ["QUEUE_CONCURRENCY", String(concurrency)],
  ]);
  const job = Queue.job({
    name: "bench",
    input: Schema.record({ number: Schema.int(), to: Schema.string() }),
    handle: (input) => handle(input),
  });
  const database = await databases[engine]?.();
  if (database === undefined) throw new Error(`limmat does not support ${engine}`);
  const queue = Queue.sql({ database, jobs: () => [job] });
  const migration = Migration.service({ database, onPending: "run" });
  // Jobs run in the process of the server.
  const http = Web.Http.service({ router: Web.choose([]) });
  await App.create({ root: import.meta.dirname, services: [database, migration, queue, http] }).start();
  return {
    dispatch: (input) => queue.dispatch(job, input),
    dispatchAll: (inputs) => queue.dispatchAll(job, inputs),
  };
};
