// npm run bench:policy [-- databases]: measures what a policy costs beside the same search and the same comparison by hand.
// The variants run in turn in one process, in an order that changes with each round. Figures are medians, ratios those of the rounds.
import { Configuration, Schema } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { median } from "../harness/measure.ts";

const users = 100;
const rowCount = 10_000;
const rounds = 31;

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const notes = Table.make("bench_notes", {
  schema: Schema.record({ title: Schema.string({ max: 200 }) }),
  columns: { owner_id: Row.uuid },
  indexes: ["owner_id"],
});
const policy = Policy.make(notes, (is) => ({
  see: (user) => ({ owner_id: user.id }),
  change: is.any((user) => ({ owner_id: user.id }), is.anyone({ title: "For everybody" })),
}));
type Note = Table.Infer<typeof notes>;

/** Variants of a work. The first is the baseline of the others. */
type Variants = Readonly<Record<string, (turn: number) => unknown>>;

const databases: Readonly<Record<string, () => Promise<Database>>> = {
  sqlite: async () => (await import("limmat/database/sqlite")).sqlite({ url: "sqlite::memory:" }),
  postgresql: async () =>
    (await import("limmat/database/postgresql")).postgresql({
      url: process.env["TEST_POSTGRESQL_URL"] ?? "postgresql://postgres@127.0.0.1:5432/test",
    }),
  mariadb: async () =>
    (await import("limmat/database/mariadb")).mariadb({
      url: process.env["TEST_MARIADB_URL"] ?? "mariadb://root@127.0.0.1:3306/test",
    }),
};

/** Number of calls in a round, and variants, of each work. */
const works: Readonly<Record<string, readonly [calls: number, variants: (database: Database, row: Note) => Variants]>> =
  {
    search: [
      400,
      (database) => {
        const page = { limit: 20, sort: "desc" } as const;
        const idOf = (turn: number): string => uuid((turn % users) + 1);
        return {
          "by hand": (turn) => notes.search(database, page, { where: { owner_id: idOf(turn) } }),
          policy: (turn) => notes.search(database, page, { where: policy.where({ id: idOf(turn) }) }),
        };
      },
    ],
    "check by columns": [
      20_000,
      (database, row) => {
        const user = { id: row.owner_id };
        return {
          "async function": async () => (row.owner_id === user.id ? undefined : Promise.reject(new Error())),
          check: () => policy.check(database, user, "change", row),
        };
      },
    ],
  };

/** Returns the CPU time of one call in µs. */
async function cost(calls: number, run: (turn: number) => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let turn = 0; turn < calls; turn++) await run(turn);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

async function measure(engine: string, database: Database): Promise<void> {
  const row = await notes.find(database, uuid(1));
  for (const [name, [calls, variantsOf]] of Object.entries(works)) {
    const variants = Object.entries(variantsOf(database, row));
    const costs = new Map(variants.map(([variant]): [string, number[]] => [variant, []]));
    for (const [, run] of variants) await cost(calls * 5, run);
    for (let round = 0; round < rounds; round++) {
      const shift = round % variants.length;
      for (const [variant, run] of [...variants.slice(shift), ...variants.slice(0, shift)])
        costs.get(variant)?.push(await cost(calls, run));
    }
    const [baseline = []] = costs.values();
    for (const [variant, found] of costs) {
      const ratio = median(found.map((time, index) => time / (baseline[index] ?? NaN)));
      console.log(`| ${engine} | ${name} | ${variant} | ${median(found).toFixed(2)} | ${ratio.toFixed(3)} |`);
    }
  }
}

Configuration.store([["FRAMEWORK_ENV", "test"]]);
const chosen = process.argv.slice(2);
console.log("| database | work | variant | µs of CPU | ratio |\n| --- | --- | --- | ---: | ---: |");
for (const engine of chosen.length === 0 ? Object.keys(databases) : chosen) {
  const database = await (databases[engine] ?? (() => Promise.reject(new Error(`Unknown database ${engine}`))))();
  await database.start({ services: [database] });
  const drop = sql`drop table if exists bench_notes`;
  await database.exec(drop);
  for (const text of Table.createStatements([notes], database.dialect()))
    await database.exec(sql(Object.assign([text], { raw: [text] })));
  const values = Array.from({ length: rowCount }, (_, n) => ({
    id: uuid(n + 1),
    title: `Note ${n}`,
    owner_id: uuid((n % users) + 1),
  }));
  await notes.insertAll(database, values);
  await measure(engine, database);
  await database.exec(drop);
  await database.stop();
}
