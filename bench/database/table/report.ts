import { readdirSync, readFileSync } from "node:fs";
import { median } from "../../harness/measure.ts";
import { number } from "../../report/number.ts";
import { spreadOf } from "../../report/ratio.ts";
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

/** Operations whose time a page of results shows: it depends on the plan of the database. */
const pageWorks = ["page1", "page2", "page10000"] as const;

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
    "Operations of `Table`, the same statements by hand with the driver, and the same operations of others, on equal tables and with equal",
    `answers. \`npm run bench:table\` writes \`bench/results/${file}\`. Measured on ${date}, limmat ${limmat === "built" ? "as published" : "from source"};`,
    `${packages.join(", ")}. ${effort.rounds} rounds of ${number(effort.seconds)} s each in turn, after ${number(effort.warmUp)} s of warm-up.`,
    "",
    "- **Relations** of 1,000 issues: a person each, of 100, and two labels each, of 20. Kysely and Drizzle build JSON in one statement, the",
    "  others send further statements.",
    "- **Insert of 10,000 rows** of five columns, with ids of the application. The driver's way is the fastest one found: JSON on PostgreSQL, one",
    "  statement with all values on MariaDB, a prepared statement in a loop on SQLite. Lucid uses `multiInsert`.",
    "- **Pages** have 50 open records of 1,000,000, the newest first, with an index on time and id. Page 10,000 starts after the last record of",
    "  the page before. Limmat verifies and signs cursors, from page 2 on; the others do not. Drizzle and Prisma use the conditions of their",
    "  documentation, for which PostgreSQL reads all rows before the page. Lucid has a condition in SQL.",
    "- **Others** are measured on PostgreSQL only, because they use other drivers elsewhere. Drizzle uses prepared statements, Prisma its adapter",
    "  of pg without an engine, Lucid columns of `Date`, which is faster than Luxon.",
    "",
  ];
}

function verdicts(find: Find): readonly string[] {
  const rows = engines.map((engine) => [
    titles[engine],
    ...goals.map(({ work, atMost }) =>
      judge(compare(find(engine, work, "limmat")?.cpu, find(engine, work, "driver")?.cpu), atMost),
    ),
    ...(["page1", "page2"] as const).map((first) =>
      judge(compare(find(engine, "page10000", "limmat")?.elapsed, find(engine, first, "limmat")?.elapsed), depthGoal),
    ),
  ]);
  const head = [
    ...goals.map(({ work, atMost }) => `${works[work]}, CPU to the driver (≤ ${number(atMost)})`),
    ...(["page1", "page2"] as const).map((first) => `page 10,000, time to ${works[first]} (≤ ${number(depthGoal)})`),
  ];
  return ["Ratios of limmat, with the goals in parentheses:", "", ...table(["", ...head], rows)];
}

/** Returns the ratio of each round, sorted. */
function compare(
  one: readonly number[] | undefined,
  other: readonly number[] | undefined,
): readonly number[] | undefined {
  if (one === undefined || other === undefined) return undefined;
  return one.map((value, round) => value / (other[round] ?? NaN)).toSorted((a, b) => a - b);
}

const judge = (ratios: readonly number[] | undefined, atMost: number): string => {
  if (ratios === undefined) return "–";
  return median([...ratios]) <= atMost ? spreadOf(ratios) : `${spreadOf(ratios)} **missed**`;
};

function figures(find: Find): readonly string[] {
  const rows = (
    measured: readonly TableWork[],
    read: (rounds: TableRounds) => readonly number[],
  ): readonly (readonly string[])[] =>
    engines.flatMap((engine) =>
      names.flatMap((name) => {
        const found = measured.map((work) => find(engine, work, name));
        if (found.every((item) => item === undefined)) return [];
        const cells = found.map((item) => (item === undefined ? "–" : number(median([...read(item)]))));
        return [[`${titles[engine]}, ${name}`, ...cells]];
      }),
    );
  const titlesOf = (measured: readonly TableWork[]): readonly string[] => measured.map((work) => works[work]);
  return [
    "CPU time of the process, and for pages the time from the call to the result, with that of the database, in µs per operation. Single rows",
    "are read and written 20 at a time.",
    "",
    ...table(
      ["CPU µs", ...titlesOf(tableWorks)],
      rows(tableWorks, ({ cpu }) => cpu),
    ),
    ...table(
      ["Time µs", ...titlesOf(pageWorks)],
      rows(pageWorks, ({ elapsed }) => elapsed),
    ),
  ];
}
