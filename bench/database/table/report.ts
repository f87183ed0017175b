import { readdirSync, readFileSync } from "node:fs";
import { median } from "../../harness/measure.ts";
import { number } from "../../report/plot.ts";
import { table } from "../../report/table.ts";
import { type Engine, engines } from "../data.ts";
import type { TableResults, TableRounds } from "./results.ts";
import { type TableWork, tableWorks } from "./works.ts";

const titles: Readonly<Record<Engine, string>> = { postgresql: "PostgreSQL", mariadb: "MariaDB", sqlite: "SQLite" };
const works: Readonly<Record<TableWork, string>> = {
  find: "one row by its id",
  insert: "insert of one row",
  update: "update of one row",
  with: "1,000 rows with two relations",
  insertAll: "insert of 10,000 rows",
  page1: "page 1",
  page2: "page 2",
  page10000: "page 10,000",
};
const names = ["driver", "limmat", "kysely", "drizzle", "lucid", "prisma"] as const;

/** Bounds of the CPU time of limmat as a multiple of that of the driver. */
const goals = [
  { work: "with", atMost: 1.25 },
  { work: "insertAll", atMost: 1.2 },
] as const;

/** Bound of the time of page 10,000 as a multiple of that of page 1, and of page 2, which has a cursor as well. */
const depthGoal = 1.25;

/** Returns the lines about tables, from the newest results. Empty without results. */
export function tableSection(folder: URL): readonly string[] {
  const file = readdirSync(folder)
    .filter((name) => /^database-table-\d{4}-.*\.json$/.test(name))
    .toSorted()
    .at(-1);
  if (file === undefined) return [];
  const results = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as TableResults;
  const find = (engine: Engine, work: TableWork, contestant: string): TableRounds | undefined =>
    results.measurements.find(
      (item) => item.engine === engine && item.work === work && item.contestant === contestant && item.cpu.length > 0,
    );
  return [...introduction(file, results), ...verdicts(find), ...figures(find)];
}

type Find = (engine: Engine, work: TableWork, contestant: string) => TableRounds | undefined;

function introduction(file: string, { date, effort, limmat, versions }: TableResults): readonly string[] {
  const packages = [
    `Kysely ${versions["kysely"]}`,
    `Drizzle ${versions["drizzle-orm"]}`,
    `Lucid ${versions["@adonisjs/lucid"]}`,
    `Prisma ${versions["@prisma/client"]}`,
  ];
  return [
    "## Tables",
    "",
    "Operations of `Table`, the same statements by hand with the driver, and the same operations of others, all on equal tables and",
    "with equal answers, which are compared first. `npm run bench:table` writes",
    `\`bench/results/${file}\`. Measured on ${date}, limmat ${limmat === "built" ? "as published" : "from source"}; ${packages.join(", ")}.`,
    `${effort.rounds} rounds of ${number(effort.seconds)} s each in turn, after ${number(effort.warmUp)} s of warm-up. Figures are medians,`,
    "ratios are medians of the ratios of each round.",
    "",
    "- The relations of 1,000 issues are a person each, of 100, and two labels each, of 20: three statements. Kysely and Drizzle build",
    "  JSON in one statement, as their documentation does; Lucid and Prisma send further statements.",
    "- 10,000 rows of five columns are inserted at once, and their ids are made by the application. The driver's way is the fastest one",
    "  found without further packages: JSON on PostgreSQL, one statement with all values on MariaDB, a prepared statement in a loop on",
    "  SQLite. MariaDB's `batch` takes twenty times the CPU time, and Lucid's `createMany` a statement per row, so it uses `multiInsert`.",
    "- A page has 50 open records of 1,000,000, the newest first, with an index on time and id. Page 10,000 starts after the last record of",
    "  the page before. Limmat verifies and signs cursors, which the others do not: its page 1 has no cursor to verify, its page 2 has one.",
    "  The pages are measured in the same rounds.",
    "  Drizzle and Prisma use the conditions of their documentation, for which PostgreSQL reads all rows before the page. Lucid documents",
    "  no cursors and has a condition in SQL.",
    "- Drizzle uses prepared statements. Prisma is the client of its generator `prisma-client` with the adapter of pg; it needs no engine,",
    "  but its generator downloads one unless told not to. Lucid has columns of `Date` instead of Luxon, which is faster.",
    "- Kysely, Drizzle, Lucid and Prisma speak to MariaDB and SQLite through other drivers, so that they are measured on PostgreSQL only.",
    "- `limmat` checks each value that it writes and reads, and returns the same values on all databases.",
    "",
  ];
}

function verdicts(find: Find): readonly string[] {
  const rows = engines.flatMap((engine) => [
    ...goals.flatMap(({ work, atMost }) => {
      const ratios = compare(find(engine, work, "limmat")?.cpu, find(engine, work, "driver")?.cpu);
      return ratios === undefined ? [] : [[titles[engine], `${works[work]}, CPU, × driver`, ...judge(ratios, atMost)]];
    }),
    ...(["page1", "page2"] as const).flatMap((first) => {
      const ratios = compare(find(engine, "page10000", "limmat")?.elapsed, find(engine, first, "limmat")?.elapsed);
      if (ratios === undefined) return [];
      return [[titles[engine], `page 10,000, time, × ${works[first]}`, ...judge(ratios, depthGoal)]];
    }),
  ]);
  return table(["Database", "Operation", "Measured", "Lowest–highest round", "Goal, at most", ""], rows);
}

/** Returns the ratio of each round, sorted. */
function compare(
  one: readonly number[] | undefined,
  other: readonly number[] | undefined,
): readonly number[] | undefined {
  if (one === undefined || other === undefined) return undefined;
  return one.map((value, round) => value / (other[round] ?? NaN)).toSorted((a, b) => a - b);
}

const spread = (ratios: readonly number[]): string => `${number(ratios[0] ?? NaN)}–${number(ratios.at(-1) ?? NaN)}`;

const judge = (ratios: readonly number[], atMost: number): readonly string[] => [
  number(median([...ratios])),
  spread(ratios),
  number(atMost),
  median([...ratios]) <= atMost ? "reached" : "**missed**",
];

function figures(find: Find): readonly string[] {
  const rows = engines.flatMap((engine) =>
    tableWorks.flatMap((work) =>
      names.flatMap((name) => {
        const found = find(engine, work, name);
        const ratios = compare(found?.cpu, find(engine, work, "driver")?.cpu);
        if (found === undefined || ratios === undefined) return [];
        const times = [number(median([...found.cpu])), number(median([...found.elapsed]))];
        return [[titles[engine], works[work], name, ...times, number(median([...ratios])), spread(ratios)]];
      }),
    ),
  );
  return [
    "CPU time of the process, and time from the call to the result, with that of the database, in µs per operation. Single rows are read",
    "and written 20 at a time.",
    "",
    ...table(["Database", "Operation", "", "CPU µs", "Time µs", "CPU × driver", "Lowest–highest round"], rows),
  ];
}
