// Runs one contestant in its own process: `process.ts <name> <engine> <url>`. Answers the messages of measure.ts.
import type { Engine } from "../data.ts";
import { connect, emptyEntries, entries } from "./data.ts";
import type { OpenTable } from "./contestants/contestant.ts";
import { check, operationOf, type TableWork, users } from "./works.ts";

/** Message from measure.ts. */
export type Question = { readonly work: TableWork; readonly milliseconds: number } | { readonly work: "check" };

/** Result of a round, in µs per operation. */
export interface Found {
  /** CPU time of the process, all threads. */
  readonly cpu: number;
  /** Time from the call to the result, with that of the database. */
  readonly elapsed: number;
  readonly operations: number;
}

const [, , name = "", engine = "", url = ""] = process.argv;
const { open } = (await import(`./contestants/${name}.ts`)) as { readonly open: OpenTable };
const contestant = await open(url, engine as Engine);
const server = await connect(engine as Engine, url);

process.on("message", (question: Question) => {
  void answer(question).then(
    (found) => process.send?.(found),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function answer(question: Question): Promise<Found> {
  if (question.work === "check") {
    await check(name, contestant);
    await server.exec(emptyEntries(engine as Engine));
    return { cpu: 0, elapsed: 0, operations: 0 };
  }
  const { work, milliseconds } = question;
  if (work === "insertAll") return measureInserts(milliseconds);
  const found = await measure(operationOf(contestant, work), users[work], milliseconds);
  if (work === "insert") await server.exec(emptyEntries(engine as Engine));
  return found;
}

async function measure(operation: () => unknown, userCount: number, milliseconds: number): Promise<Found> {
  let operations = 0;
  const start = performance.now();
  const end = start + milliseconds;
  // The clock is read once per ten operations of many users, to keep its cost out of the measurement.
  const batch = userCount > 1 ? 10 : 1;
  const user = async (): Promise<void> => {
    while (performance.now() < end) {
      for (let index = 0; index < batch; index += 1) {
        const answered = operation();
        if (answered instanceof Promise) await answered;
        // Queries of knex and Lucid begin when they are awaited.
        else if (isThenable(answered)) await answered;
        operations += 1;
      }
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: userCount }, user));
  const { user: spent, system } = process.cpuUsage(before);
  const elapsed = ((performance.now() - start) * 1000 * userCount) / operations;
  return { cpu: (spent + system) / operations, elapsed, operations };
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value;

/** Measures inserts of all entries. The table is emptied between them, outside of the measurement. */
async function measureInserts(milliseconds: number): Promise<Found> {
  let [operations, cpu, elapsed] = [0, 0, 0];
  const end = performance.now() + milliseconds;
  do {
    const start = performance.now();
    const before = process.cpuUsage();
    await contestant.insertAll(entries);
    const { user, system } = process.cpuUsage(before);
    elapsed += (performance.now() - start) * 1000;
    cpu += user + system;
    operations += 1;
    await server.exec(emptyEntries(engine as Engine));
  } while (performance.now() < end);
  return { cpu: cpu / operations, elapsed: elapsed / operations, operations };
}
