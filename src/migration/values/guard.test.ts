import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { Configuration } from "../../config/index.ts";
import { Schema } from "../../schema/index.ts";
import { assertErrorCode } from "../../testing/assert-error-code.ts";
import type { Database } from "../../database/database.ts";
import { mariadb } from "../../database/mariadb/index.ts";
import { postgresql } from "../../database/postgresql/index.ts";
import * as Row from "../../database/row/row.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import { sql } from "../../database/statement/sql.ts";
import { Table } from "../../entry-points/table.ts";
import type { RelatedTable } from "../../table/relation.ts";
import * as Migration from "../migration.ts";

type Member = Schema.Member;

/** Numbers may have more digits, and truth values are numbers on some databases. */
const plain = (text: string): string => {
  const truth = text.replace(/^false$/, "0").replace(/^true$/, "1");
  return Number.isNaN(Number(truth)) ? truth : String(Number(truth));
};

function guardCases(name: string, database: Database): void {
  before(() => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    return database.start({ services: [database] });
  });
  after(() => database.stop());

  let namespaces = 0;
  const service = (statements: readonly string[]): Migration.MigrationService =>
    Migration.service({
      database,
      migrations: [Migration.make(`n${++namespaces}`, [Migration.step("change", statements)])],
    });
  const diff = async (...tables: readonly RelatedTable[]): Promise<readonly string[]> =>
    (await Migration.service({ database, tables: () => tables }).drift())
      .flatMap(({ statements }) => statements)
      .filter((statement) => !statement.startsWith("--"));
  const make = (field: Member, options = {}): RelatedTable =>
    Table.make("narrowed", { schema: Schema.record({ a: field }), ...options });
  const stored = (): Promise<readonly string[]> =>
    database.collect(
      sql.value(Row.text)`select ${sql.dialect({
        sqlite: sql`cast(a as text)`,
        postgresql: sql`a::text`,
        mariadb: sql`cast(a as char)`,
      })} from narrowed where a is not null order by 1`,
    );
  const create = async (field: Member, values: readonly unknown[], options = {}): Promise<void> => {
    await database.exec(sql`drop table if exists narrowed`);
    const table = Table.make("narrowed", { schema: Schema.record({ a: field }), ...options });
    await service(await diff(table)).runAll();
    for (const a of values) await table.insert(database, { a });
  };

  const string = (max: number): Member => Schema.string({ max });
  const optional = Schema.optional(Schema.string({ max: 9 }));
  const cases: readonly (readonly [
    string,
    Member,
    readonly unknown[],
    Member,
    Migration.StepOptions | object,
    RegExp,
  ])[] = [
    [
      "a shorter text",
      string(90),
      ["x".repeat(60), "y".repeat(70), "z"],
      string(50),
      {},
      /in 2 rows, "a" does not fit varchar\(50\).*Example: \{"id":"[^"]+","a":"(?:x|y)+…?"\}/,
    ],
    ["a text that becomes a string", Schema.text(), ["x".repeat(60)], string(50), {}, /in one row/],
    ["a fraction that becomes an integer", Schema.float(), [1.5, 2], Schema.int(), {}, /in one row.*1\.5/],
    [
      "a text that becomes a choice",
      string(255),
      ["open", "shut", "ajar"],
      Schema.oneOf(["open", "shut"]),
      {},
      /in one row, "a" is none of open, shut\. Example: .*"ajar"/,
    ],
    [
      "fewer choices",
      Schema.oneOf(["a", "b", "c"]),
      ["b", "c", "c"],
      Schema.oneOf(["a", "b"]),
      {},
      /in 2 rows, "a" is none of a, b\..*"c"/,
    ],
    ["a value that becomes required", optional, [undefined, "x"], string(9), {}, /in one row, "a" is null/],
    ["a text that becomes an integer", string(9), ["12", "012"], Schema.int(), {}, /in one row.*"012"/],
    [
      "a value that becomes unique",
      string(9),
      ["x", "x", "y"],
      string(9),
      { unique: [["a"]] },
      /in one row, a is not unique\. Example: \{"a":"x","limmat_rows":"?2"?\}/,
    ],
    ["a time that becomes a truth value", Schema.date(), ["2026-01-01"], Schema.bool(), {}, /in one row/],
  ];
  for (const [what, from, values, to, options, message] of cases) {
    test(`${name}: refuses ${what} before the change, with the number of rows and an example`, async () => {
      await create(from, values);
      const former = await stored();
      const migration = service(await diff(make(to, options)));
      const error = await assertErrorCode("E_MIGRATION_VALUES", () => migration.runAll());
      assert.match(error.message, message);
      assert.deepEqual(await stored(), former);
      await database.exec(sql`delete from narrowed`);
      // The same migration goes on: nothing is half-done.
      await migration.runAll();
      assert.deepEqual(await diff(make(to, options)), []);
    });
  }
  if (name !== "SQLite") {
    test(`${name}: refuses fewer digits`, async () => {
      await create(Schema.decimal({ precision: 12, scale: 4 }), ["1.2345", "2.5000"]);
      const fewer = make(Schema.decimal({ precision: 12, scale: 2 }));
      const error = await assertErrorCode("E_MIGRATION_VALUES", async () => service(await diff(fewer)).runAll());
      assert.match(error.message, /in one row, "a" does not fit .*12, ?2\).*1\.2345/);
      await database.exec(sql`delete from narrowed where a < 2`);
      await service(await diff(fewer)).runAll();
      assert.deepEqual(await stored(), ["2.50"]);
    });
  }

  test(`${name}: values that fit are kept`, async () => {
    for (const [from, values, to] of [
      [string(90), ["x", "y".repeat(50)], string(50)],
      [string(50), ["x"], Schema.text()],
      [Schema.int(), [1, -2, 9007199254740991], Schema.decimal({ precision: 30, scale: 2 })],
      [Schema.float(), [1, -2], Schema.int()],
      [Schema.int(), [0, 1], Schema.bool()],
      [Schema.bool(), [true, false], Schema.int()],
      [string(255), ["a", "b"], Schema.oneOf(["a", "b"])],
      [Schema.oneOf(["a", "b"]), ["a", "b"], string(255)],
      [string(20), ["2026-01-31"], Schema.date()],
      [string(20), ["12", "-5"], Schema.int()],
      [Schema.int(), [12, -5], string(20)],
    ] as const) {
      await create(from, values);
      const former = (await stored()).map(plain);
      await service(await diff(make(to))).runAll();
      const kept = (await stored()).map(plain);
      assert.deepEqual([...kept].sort(), [...former].sort());
      assert.deepEqual(await diff(make(to)), []);
    }
  });

  test(`${name}: refuses a foreign key that rows violate`, async () => {
    const owners = Table.make("owners", { schema: Schema.record({ a: string(9) }) });
    const owned = (relations: object): RelatedTable =>
      Table.make("narrowed", {
        schema: Schema.record({ a: string(9) }),
        columns: { owner_id: Row.nullable(Row.uuid) },
        ...relations,
      });
    await database.exec(sql`drop table if exists narrowed`);
    await service(await diff(owners, owned({}))).runAll();
    const missing = "00000000-0000-4000-8000-000000000009";
    await database.exec(sql`insert into narrowed (id, a, owner_id) values (${missing}, 'x', ${missing})`);
    const related = owned({
      relations: { owner: () => Table.belongsTo(owners, { column: "owner_id", onDelete: "set null" }) },
    });
    const migration = service(await diff(owners, related));
    const error = await assertErrorCode("E_MIGRATION_VALUES", () => migration.runAll());
    assert.match(error.message, /in one row, "owner_id" refers to no row of owners/);
    await database.exec(sql`update narrowed set owner_id = null`);
    await migration.runAll();
    assert.deepEqual(await diff(owners, related), []);
  });

  test(`${name}: guards tables and columns with the names of their own queries`, async () => {
    const owners = Table.make("refused", { schema: Schema.record({ a: string(9) }) });
    const target = (max: number, options: object): RelatedTable =>
      Table.make("target", {
        schema: Schema.record({ rows: string(9), refused: string(max), limit: string(9) }),
        columns: { example: Row.nullable(Row.uuid) },
        ...options,
      });
    const refuses = async (changed: RelatedTable, message: RegExp): Promise<void> => {
      const migration = service(await diff(owners, changed));
      assert.match((await assertErrorCode("E_MIGRATION_VALUES", () => migration.runAll())).message, message);
    };
    await service(await diff(owners, target(9, {}))).runAll();
    for (const id of ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]) {
      await database.exec(
        sql`insert into target (id, ${sql.identifier("rows", ["rows"])}, refused, ${sql.identifier("limit", ["limit"])}, example)
          values (${id}, 'x', 'abc', 'y', ${id})`,
      );
    }
    await refuses(target(9, { unique: [["rows"]] }), /in one row, rows is not unique/);
    await refuses(target(2, {}), /in 2 rows, "refused" does not fit .*"refused":"abc"/);
    const relations = { owner: () => Table.belongsTo(owners, { column: "example", onDelete: "set null" }) };
    await refuses(target(9, { relations }), /in 2 rows, "example" refers to no row of refused/);
  });
}

guardCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => guardCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => guardCases("MariaDB", mariadb({ url })));
