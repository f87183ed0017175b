// npm run report:queue [-- results/<file>.json]: writes docs/benchmarks-queue.md from the newest results.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { median } from "../harness/measure.ts";
import { number } from "../report/number.ts";
import { table } from "../report/table.ts";
import type { Found, WorkName } from "./contestant.ts";
import type { QueueResults } from "./results.ts";

const folder = new URL("../results/", import.meta.url);
const newest = readdirSync(folder)
  .filter((name) => /^queue-\d{4}-.*\.json$/.test(name))
  .toSorted()
  .at(-1);
const file = process.argv[2] ?? (newest === undefined ? undefined : `results/${newest}`);
if (file === undefined) throw new Error("There are no results yet. Run: npm run bench:queue");
const { date, limmat, machine, measurements, rounds, versions } = JSON.parse(
  readFileSync(new URL(`../${file}`, import.meta.url), "utf8"),
) as QueueResults;

const titles: Readonly<Record<string, string>> = { postgresql: "PostgreSQL", mariadb: "MariaDB", sqlite: "SQLite" };
const works: Readonly<Record<WorkName, string>> = {
  dispatch: "Dispatch one by one, 20 at the same time",
  dispatchAll: "Dispatch 100 at a time",
  through: "Dispatch 100 at a time and run ten at a time, in one process",
  wait: "One job in an idle queue, from its dispatch to its end",
};

const names = Object.keys(works) as WorkName[];

/** Returns a table of a figure of all rounds: a row per queue, and a column per benchmark. */
function figureTable(
  head: readonly string[],
  read: (found: readonly Found[], work: WorkName) => number,
): readonly string[] {
  const queues = Map.groupBy(measurements, ({ contestant, engine }) => `${contestant} on ${titles[engine]}`);
  const rows = [...queues].map(([queue, items]) => [
    queue,
    ...names.map((work) => number(read(items.find((item) => item.work === work)?.rounds ?? [], work))),
  ]);
  return table(head, rows);
}

const medianTime = (found: readonly Found[]): number => median(found.map(({ time }) => time));

const page = [
  "# Benchmarks of the queue",
  "",
  "CPU time of a job in the application's process, compared with other job queues on PostgreSQL. `npm run report:queue` in `bench/`",
  `writes this page from \`bench/${file}\` ([method](../bench/README.md#the-queue)).`,
  "",
  `Measured on ${date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os}, Node ${machine.node.slice(1)}; ` +
    `PostgreSQL ${versions["postgresql"]}, MariaDB ${versions["mariadb"]}, SQLite ${versions["sqlite"]} in Node; Graphile Worker ` +
    `${versions["graphile-worker"]}, pg-boss ${versions["pg-boss"]}. Limmat ${limmat === "built" ? "as published" : "from source"}. ` +
    `${rounds} rounds.`,
  "",
  "CPU is the CPU time of the process, all threads, without the database server. Jobs per second depend on the disk of the",
  "database. Figures are medians.",
  "",
  ...names.map((work) => `- **${work}**: ${works[work]}`),
  "",
  ...figureTable(["CPU µs per job", ...names], (found) => median(found.map(({ cpu }) => cpu))),
  ...figureTable(["jobs/s", ...names.map((work) => (work === "wait" ? "wait, ms" : work))], (found, work) =>
    work === "wait" ? medianTime(found) / 1000 : 1e6 / medianTime(found),
  ),
].join("\n");
writeFileSync(new URL("../../docs/benchmarks-queue.md", import.meta.url), `${page.trimEnd()}\n`);
