// Runs one contestant in its own process: `contestant.ts <name> <engine> <url>`. Answers the messages of run.ts.
import type { Engine } from "./data.ts";
import { rowCount, todos } from "./data.ts";
import type { Contestant, Open } from "./contestants/contestant.ts";

/** Message from run.ts. */
export type Question =
  | { readonly work: WorkName; readonly milliseconds: number }
  | { readonly work: "check" }
  | { readonly work: "stream" };

export type WorkName = "find" | "findNumber" | "collect" | "collectNumbers";

/** Result of a measurement: CPU time per operation in µs; for a stream, memory above idle in bytes. */
export interface Found {
  readonly cpu: number;
  readonly operations: number;
  readonly memory: number;
  readonly rows: number;
}

const [, , name = "", engine = "", url = ""] = process.argv;
const { open } = (await import(`./contestants/${name}.ts`)) as { readonly open: Open };
const contestant = await open(url, engine as Engine);

// Number of concurrent users, each of whom waits for a result before the next operation. A synchronous driver gains nothing
// from several. Large results are read one at a time: several would measure the garbage collector.
const users: Readonly<Record<WorkName, number>> = { find: 20, findNumber: 20, collect: 1, collectNumbers: 1 };

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

function answer(question: Question): Promise<Found> {
  if (question.work === "check") return check(contestant);
  if (question.work === "stream") return stream(contestant);
  return measure(operationOf(contestant, question.work), question);
}

/** Returns a function that runs the operation with the next key on each call. */
function operationOf({ find, findNumber, collect, collectNumbers }: Contestant, work: WorkName): () => unknown {
  let next = 0;
  const turn = (): number => (next = (next + 1) % rowCount);
  switch (work) {
    case "find":
      return () => find(todos[turn()]?.id ?? "");
    case "findNumber":
      return () => findNumber(turn() + 1);
    case "collect":
      return collect;
    default:
      return collectNumbers;
  }
}

interface Effort {
  readonly work: WorkName;
  readonly milliseconds: number;
}

async function measure(operation: () => unknown, { work, milliseconds }: Effort): Promise<Found> {
  let operations = 0;
  let hasEnded = false;
  const end = performance.now() + milliseconds;
  const user = async (): Promise<void> => {
    while (!hasEnded) {
      // The clock is read once per ten operations, to keep its cost out of the measurement.
      for (let index = 0; index < 10; index += 1) {
        const answered = operation();
        if (answered instanceof Promise) await answered;
        operations += 1;
      }
      if (performance.now() > end) hasEnded = true;
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: users[work] }, user));
  const { user: spent, system } = process.cpuUsage(before);
  return { cpu: (spent + system) / operations, operations, memory: 0, rows: 0 };
}

/** Checks that the contestant returns the expected rows, in the form of its driver. */
async function check({ find, findNumber, collect, collectNumbers }: Contestant): Promise<Found> {
  const [todo, last] = [todos[6], todos.at(-1)];
  const found = (await find(todo?.id ?? "")) as Record<string, unknown>;
  const number = (await findNumber(7)) as Record<string, unknown>;
  const all = (await collect()) as readonly Record<string, unknown>[];
  const numbers = (await collectNumbers()) as readonly Record<string, unknown>[];
  const isRight =
    found["id"] === todo?.id &&
    found["title"] === todo?.title &&
    Number(found["done"]) === Number(todo?.done) &&
    new Date(found["created_at"] as string).getUTCMonth() === 0 &&
    number["number"] === 49 &&
    number["title"] === "Number 7" &&
    all.length === rowCount &&
    all.some(({ id, title }) => id === last?.id && title === last?.title) &&
    numbers.length === rowCount;
  if (!isRight) throw new Error(`${name} returns unexpected rows on ${engine}: ${JSON.stringify([found, number])}`);
  return { cpu: 0, operations: 0, memory: 0, rows: all.length };
}

/** Streams a million rows and samples the resident memory. */
async function stream({ find, stream: run }: Contestant): Promise<Found> {
  if (run === undefined) throw new Error(`${name} has no stream`);
  for (const { id } of todos.slice(0, 100)) await find(id);
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let maxMemory = idle;
  let rows = 0;
  const before = process.cpuUsage();
  await run(() => {
    rows += 1;
    if (rows % 2000 === 0) maxMemory = Math.max(maxMemory, process.memoryUsage.rss());
  });
  const { user, system } = process.cpuUsage(before);
  if (rows !== rowCount * rowCount) throw new Error(`${name} streamed ${rows} rows`);
  return { cpu: (user + system) / rows, operations: rows, memory: maxMemory - idle, rows };
}
