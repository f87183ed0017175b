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
if (file === undefined) throw new Error("There are no results yet: npm run bench:queue");
const { date, limmat, machine, measurements, rounds, versions } = JSON.parse(
  readFileSync(new URL(`../${file}`, import.meta.url), "utf8"),
) as QueueResults;

const titles: Readonly<Record<string, string>> = { postgresql: "PostgreSQL", mariadb: "MariaDB", sqlite: "SQLite" };
const works: Readonly<Record<WorkName, string>> = {
  dispatch: "Put into the queue one by one, 20 at the same time",
  dispatchAll: "Put into the queue by hundreds",
  through: "Put into the queue by hundreds and worked, ten at once, in one process",
  wait: "One job, from being put into an idle queue to its end",
};

const medianOf = (found: readonly Found[], key: keyof Found): string => number(median(found.map((each) => each[key])));

function chapter(work: WorkName): readonly string[] {
  const found = measurements.filter((item) => item.work === work);
  const sorted = found.toSorted(
    (a, b) => median(a.rounds.map(({ cpu }) => cpu)) - median(b.rounds.map(({ cpu }) => cpu)),
  );
  const head = ["", "CPU µs a job", work === "wait" ? "ms" : "jobs/s"];
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
  "What a job costs the application's process, beside queues of other libraries that keep their jobs in PostgreSQL too. This page is",
  `written by \`npm run report:queue\` in \`bench/\`, from \`bench/${file}\`; [\`bench/README.md\`](../bench/README.md) says how it is`,
  "measured, and how to run it yourself.",
  "",
  `Measured on ${date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os}, Node ${machine.node.slice(1)}; ` +
    `PostgreSQL ${versions["postgresql"]}, MariaDB ${versions["mariadb"]}, SQLite ${versions["sqlite"]} in Node; Graphile Worker ` +
    `${versions["graphile-worker"]}, pg-boss ${versions["pg-boss"]}. Limmat ${limmat === "built" ? "as it is published" : "from its source"}. ` +
    `${rounds} rounds.`,
  "",
  "CPU is that of the process, all its threads; that of the servers is not counted. Jobs per second depend on the disk that the",
  "database commits to. Figures are medians.",
  "",
  ...(Object.keys(works) as WorkName[]).flatMap(chapter),
].join("\n");
writeFileSync(new URL("../../docs/benchmarks-queue.md", import.meta.url), `${page.trimEnd()}\n`);
