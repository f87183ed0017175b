// npm run report:database [-- results/<file>.json]: writes docs/benchmarks-database.md from the newest results.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { median } from "../harness/measure.ts";
import { number } from "../report/number.ts";
import { table } from "../report/table.ts";
import { type Engine, engines } from "./data.ts";
import type { DatabaseResults, DatabaseRounds } from "./results.ts";
import { tableSection } from "./table/report.ts";

const folder = new URL("../results/", import.meta.url);
const newest = readdirSync(folder)
  .filter((name) => /^database-\d{4}-.*\.json$/.test(name))
  .toSorted()
  .at(-1);
const file = process.argv[2] ?? (newest === undefined ? undefined : `results/${newest}`);
if (file === undefined) throw new Error("There are no results yet. Run: npm run bench:database");
const results = JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), "utf8")) as DatabaseResults;
const { machine, versions, effort } = results;

const titles: Readonly<Record<Engine, string>> = { postgresql: "PostgreSQL", mariadb: "MariaDB", sqlite: "SQLite" };
const works: Readonly<Record<DatabaseRounds["work"], string>> = {
  find: "one row, decoded",
  findNumber: "one row of numbers and text",
  collect: "1,000 rows, decoded",
  collectNumbers: "1,000 rows of numbers and text",
  stream: "a million rows, streamed",
};

const find = (engine: Engine, work: DatabaseRounds["work"], contestant: string): DatabaseRounds | undefined =>
  results.measurements.find(
    (item) => item.engine === engine && item.work === work && item.contestant === contestant && item.cpu.length > 0,
  );

/** Returns the median over all rounds of `combine`, applied to the figures of both contestants in the same round. */
function compare(one: DatabaseRounds, other: DatabaseRounds, combine: (a: number, b: number) => number): number {
  return median(one.cpu.map((cpu, round) => combine(cpu, other.cpu[round] ?? NaN)));
}

const operations = ["find", "findNumber", "collect", "collectNumbers"] as const;

const rows = engines.flatMap((engine) =>
  ["driver", "limmat", "kysely"].flatMap((contestant) => {
    const found = operations.map((work) => find(engine, work, contestant));
    if (found.every((item) => item === undefined)) return [];
    return [[`${titles[engine]}, ${contestant}`, ...found.map((item) => number(median(item?.cpu ?? [])))]];
  }),
);

const memoryBound = 64;
const streams = engines.flatMap((engine) => {
  const found = find(engine, "stream", "limmat");
  if (found === undefined) return [];
  const memory = Math.max(...found.memory) / 1e6;
  return [[titles[engine], number(median(found.cpu)), verdict(number(memory), memory < memoryBound)]];
});

interface Goal {
  readonly engine: Engine;
  readonly work: "find" | "collect";
  readonly against: string;
  readonly atMost: number;
  /** True if the bound is a difference in µs instead of a ratio. */
  readonly isDifference?: boolean;
}

const goals: readonly Goal[] = [
  { engine: "postgresql", work: "find", against: "driver", atMost: 1.1 },
  { engine: "postgresql", work: "find", against: "kysely", atMost: 0.5 },
  { engine: "mariadb", work: "find", against: "driver", atMost: 1.1 },
  { engine: "sqlite", work: "find", against: "driver", atMost: 1.3, isDifference: true },
  { engine: "postgresql", work: "collect", against: "driver", atMost: 1.3 },
  { engine: "mariadb", work: "collect", against: "driver", atMost: 1.3 },
  { engine: "sqlite", work: "collect", against: "driver", atMost: 1.3 },
];
/** Returns the lines about the goals of an operation. */
function verdicts(work: Goal["work"]): string {
  const parts = goals.flatMap(({ engine, against, atMost, isDifference = false, ...goal }) => {
    const [ours, theirs] = [find(engine, goal.work, "limmat"), find(engine, goal.work, against)];
    if (goal.work !== work || ours === undefined || theirs === undefined) return [];
    const figure = compare(ours, theirs, (a, b) => (isDifference ? a - b : a / b));
    const show = (value: number): string => (isDifference ? `+ ${number(value)} µs` : number(value));
    const other = against === "driver" ? "" : ` to ${against}`;
    return [`${titles[engine]}${other} ${show(figure)}, goal ${verdict(show(atMost), figure <= atMost)}`];
  });
  return `- **${works[work]}**: ${parts.join("; ")}`;
}

const page = [
  "# Benchmarks of the databases",
  "",
  "CPU time of an operation in the application's process, compared with the drivers used directly. `npm run report:database` in",
  `\`bench/\` writes this page from \`bench/${file}\` ([method](../bench/README.md#the-databases)).`,
  "",
  `Measured on ${results.date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os}, Node ${machine.node.slice(1)}; ` +
    `PostgreSQL ${versions["postgresql"]} with pg ${versions["pg"]}, MariaDB ${versions["mariadb server"]} with mariadb ${versions["mariadb"]}, ` +
    `SQLite ${versions["sqlite"]} in Node; Kysely ${versions["kysely"]} on its own PostgreSQL dialect. Limmat ` +
    `${results.limmat === "built" ? "as published" : "from source"}. ${effort.rounds} rounds of ${number(effort.seconds)} s each, ` +
    `after ${number(effort.warmUp)} s of warm-up.`,
  "",
  "Single rows are read by primary key, 20 at a time; large results one at a time. Decoded rows have a UUID, a text, a boolean and a",
  "timestamp, which limmat checks and returns alike on all databases; drivers return their native values. CPU is the time of the process, all",
  "threads, without the database server. Figures are medians, ratios are medians of the ratios of each round.",
  "",
  "## Goals",
  "",
  "Ratios to the driver, unless another one is named; goals are upper limits.",
  "",
  ...(["find", "collect"] as const).map(verdicts),
  "",
  "## Figures",
  "",
  ...table(["CPU µs", ...operations.map((work) => works[work])], rows),
  `Streams of a million rows, each in a separate process. Memory is the maximum of three runs; the goal is at most ${memoryBound} MB:`,
  "",
  ...table(["", "CPU µs per row", "memory above idle, MB"], streams),
  ...tableSection(folder),
].join("\n");
writeFileSync(new URL("../../docs/benchmarks-database.md", import.meta.url), `${page.trimEnd()}\n`);

/** Returns a goal, with a mark if it is missed. */
function verdict(goal: string, isReached: boolean): string {
  return isReached ? goal : `${goal} **missed**`;
}
