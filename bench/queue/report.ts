// npm run report:queue [-- results/<file>.json]: writes docs/benchmarks-queue.md from the newest results.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { median } from "../harness/measure.ts";
import { number } from "../report/plot.ts";
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

const medianOf = (found: readonly Found[], key: keyof Found): string =>
  number(median(found.map((round) => round[key])));

function chapter(work: WorkName): readonly string[] {
  const found = measurements.filter((item) => item.work === work);
  const sorted = found.toSorted(
    (a, b) => median(a.rounds.map(({ cpu }) => cpu)) - median(b.rounds.map(({ cpu }) => cpu)),
  );
  const head = ["", "CPU µs per job", work === "wait" ? "ms" : "jobs/s"];
  return [
    `## ${works[work]}`,
    "",
    ...table(
      head,
      sorted.map((item) => [
        `${item.contestant} on ${titles[item.engine]}`,
        medianOf(item.rounds, "cpu"),
        work === "wait"
          ? number(median(item.rounds.map(({ time }) => time)) / 1000)
          : number(1e6 / median(item.rounds.map(({ time }) => time))),
      ]),
    ),
  ];
}

const page = [
  "# Benchmarks of the queue",
  "",
  "CPU time of a job in the application's process, compared with other job queues on PostgreSQL. `npm run report:queue` in `bench/`",
  `generates this page from \`bench/${file}\`. [\`bench/README.md\`](../bench/README.md) describes the method and how to run the`,
  "benchmarks.",
  "",
  `Measured on ${date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os}, Node ${machine.node.slice(1)}; ` +
    `PostgreSQL ${versions["postgresql"]}, MariaDB ${versions["mariadb"]}, SQLite ${versions["sqlite"]} in Node; Graphile Worker ` +
    `${versions["graphile-worker"]}, pg-boss ${versions["pg-boss"]}. Limmat ${limmat === "built" ? "as published" : "from source"}. ` +
    `${rounds} rounds.`,
  "",
  "CPU is the CPU time of the process, all threads, without the database server. Jobs per second depend on the disk of the",
  "database. Figures are medians.",
  "",
  ...(Object.keys(works) as WorkName[]).flatMap(chapter),
].join("\n");
writeFileSync(new URL("../../docs/benchmarks-queue.md", import.meta.url), `${page.trimEnd()}\n`);
