import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { Schema } from "../../schema/index.ts";
import { assertErrorCode, rejectsWithCode } from "../../testing/assert-error-code.ts";
import { captureOutput } from "../../testing/index.ts";
import type { Database } from "../../database/database.ts";
import * as Row from "../../database/row/row.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import { sql } from "../../database/statement/sql.ts";
import type { SqlPart } from "../../database/statement/statement.ts";
import { Table } from "../../entry-points/table.ts";
import * as Migration from "../migration.ts";

let database: Database;
let namespaces = 0;

beforeEach(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  database = sqlite({ url: ":memory:" });
  await database.start({ services: [database] });
  await run([
    "create table parents (id integer primary key autoincrement, name text not null collate nocase, upper_name text as (upper(name)), check (length(name) > 0)) -- people",
    "create table kids (id text primary key, parent_id integer not null references parents (id) on delete cascade)",
    "create table links (id text primary key, parent_id integer references parents on delete set null)",
    "create table trees (id text primary key, tree_id text references trees (id) on delete cascade, size varchar(9))",
    "create index parents_name on parents (name) where name <> ''",
    "create table changes (text text)",
    "create trigger parents_change after update on parents begin insert into changes values (new.name); end",
    "create trigger kids_change after delete on kids begin insert into changes select name from parents limit 1; end",
    "create view names as select name from parents",
  ]);
  await database.exec(sql`insert into parents (id, name) values (1, 'P'), (7, 'gone')`);
  await database.exec(sql`delete from parents where id = 7`);
  await database.exec(sql`insert into kids values ('k', 1)`);
  await database.exec(sql`insert into links values ('l', 1)`);
  await database.exec(sql`insert into trees (id, tree_id, size) values ('root', null, 'b'), ('leaf', 'root', 'a')`);
});
afterEach(() => database.stop());

const service = (sqlText: Migration.StepSql, options?: Migration.StepOptions): Migration.MigrationService =>
  Migration.service({
    database,
    migrations: [Migration.make(`rebuild${++namespaces}`, [Migration.step("change", sqlText, options)])],
  });
const run = (sqlText: Migration.StepSql, options?: Migration.StepOptions): Promise<readonly string[]> =>
  service(sqlText, options).runAll();
const texts = (query: SqlPart): Promise<readonly string[]> => database.collect(sql.value(Row.text)`${query}`);

async function assertRowsAreKept(): Promise<void> {
  const rows = await texts(sql`select 'kid ' || id || ' ' || parent_id from kids union all
    select 'link ' || id || ' ' || parent_id from links union all select 'parent ' || id || ' ' || name from parents union all
    select 'tree ' || id || ' ' || coalesce(tree_id, '') from trees order by 1`);
  assert.deepEqual(rows, ["kid k 1", "link l 1", "parent 1 P", "tree leaf root", "tree root "]);
  assert.equal(await database.find(sql.value(Row.int)`pragma foreign_keys`), 1);
  assert.equal(await database.find(sql.value(Row.int)`pragma legacy_alter_table`), 0);
  assert.deepEqual(await texts(sql`select "table" from pragma_foreign_key_check`), []);
}

test("a changed column keeps rows, references, keys, indexes, triggers, views and other constraints", async () => {
  await run("alter table parents modify column name varchar(20) default 'none' not null");
  await assertRowsAreKept();
  const objects = await texts(sql`select name from sqlite_schema where name not like 'sqlite!_%' escape '!' and
    (tbl_name in ('parents', 'names')) order by name`);
  assert.deepEqual(objects, ["names", "parents", "parents_change", "parents_name"]);
  await database.exec(sql`insert into parents default values`);
  // Number 7 was given out before.
  assert.deepEqual(await texts(sql`select id || name || upper_name from parents order by id`), ["1PP", "8noneNONE"]);
  assert.deepEqual(await texts(sql`select name from names where name = 'NONE'`), ["none"]);
  await database.exec(sql`update parents set name = 'Q' where id = 1`);
  assert.deepEqual(await texts(sql`select text from changes`), ["Q"]);
  await rejectsWithCode("E_DATABASE_CHECK", () => database.exec(sql`insert into parents (name) values ('')`));
  await rejectsWithCode("E_DATABASE_VALUE", () =>
    database.exec(sql`insert into parents (name) values (${"x".repeat(21)})`),
  );
  await database.exec(sql`delete from parents where id = 1`);
  assert.deepEqual(await texts(sql`select id from kids`), []);
  // A second change adds no second check of the length.
  await run("alter table parents modify column name varchar(30) not null");
  await run("alter table trees modify column size varchar(9) not null");
  const [created = ""] = await texts(sql`select sql from sqlite_schema where name = 'parents'`);
  assert.equal(created.match(/limmat_length/g)?.length, 1);
});

test("changes of one table are one copy, and a table that refers to itself keeps its rows", async () => {
  await run([
    "alter table trees modify column size varchar(3), add check (size <> 'z')",
    "alter table trees add constraint one_size unique (size)",
    "alter table trees drop foreign key (tree_id)",
    "alter table trees add foreign key (tree_id) references trees (id)",
  ]);
  await assertRowsAreKept();
  await rejectsWithCode("E_DATABASE_FOREIGN_KEY", () => database.exec(sql`delete from trees where id = 'root'`));
  await rejectsWithCode("E_DATABASE_UNIQUE", () => database.exec(sql`update trees set size = 'a'`));
  await run("alter table trees drop unique (size)");
  await database.exec(sql`update trees set size = 'a'`);
});

test("a changed column loses only the check that its description makes", async () => {
  await run(`create table offers (id integer primary key,
    state varchar(9) check (state in ('a', 'b') or id > 5) check (state in ('a', 'b')),
    price decimal_text check (cast(price as real) >= 2 * id) check (cast(price as real) >= 0))`);
  await run([
    "alter table offers modify column state varchar(8)",
    "alter table offers modify column price decimal_text not null",
  ]);
  const [created = ""] = await texts(sql`select sql from sqlite_schema where name = 'offers'`);
  assert.match(created, /check \(state in \('a', 'b'\) or id > 5\)[^]*check \(cast\(price as real\) >= 2 \* id\)/);
  assert.doesNotMatch(created, /'b'\)\)|real\) >= 0/);
  await run("drop table offers");
});

test("names what a table does not have", async () => {
  for (const [text, message] of [
    ["alter table parents modify column nme text", /cannot change the table "parents": it has no column "nme"/],
    ["alter table nobody modify column name text", /"nobody": it does not exist/],
    ["alter table parents drop unique (name)", /it has no unique on name/],
    ["alter table parents drop foreign key (name)", /it has no foreign key on name/],
  ] as const) {
    assert.match((await assertErrorCode("E_MIGRATION_REBUILD", () => run(text))).message, message);
  }
  await assertRowsAreKept();
});

test("a table that is copied by hand keeps the rows that refer to it", async () => {
  const copy = [
    "pragma foreign_keys = off",
    "create table parents_new (id integer primary key, name text)",
    "insert into parents_new select id, name from parents",
    "drop view names",
    "drop trigger kids_change",
    "drop table parents",
    "alter table parents_new rename to parents",
    "pragma foreign_keys = on",
  ];
  await run(copy);
  await assertRowsAreKept();
});

for (const options of [{}, { transaction: false }] as const) {
  const mode = "transaction" in options ? "outside a transaction" : "in a transaction";
  test(`a dropped table that rows refer to is refused ${mode}, and so is the revert`, async () => {
    const dropped = await assertErrorCode("E_MIGRATION_FOREIGN_KEY", () => run("drop table parents", options));
    assert.match(dropped.message, /would leave a row of "kids" to "parents" that refers to a missing row/);
    await assertRowsAreKept();
    const migration = service("create table created (id text)", { ...options, down: "drop table parents" });
    await migration.runAll();
    await rejectsWithCode("E_MIGRATION_FOREIGN_KEY", async () =>
      migration.commands[0]?.run(["down"], {
        services: [database, migration],
        output: captureOutput(),
        signal: new AbortController().signal,
      }),
    );
    await assertRowsAreKept();
    await run("alter table parents modify column name varchar(20) not null", options);
    await assertRowsAreKept();
    await run(["drop table kids", "drop table links", "drop view names", "drop table parents"], options);
  });
}

test("references that were broken before do not stop a change", async () => {
  await run(["pragma foreign_keys = off", "insert into kids values ('orphan', 99)"], { transaction: false });
  assert.equal(await database.find(sql.value(Row.int)`pragma foreign_keys`), 1);
  await run("alter table kids modify column parent_id integer not null");
  assert.deepEqual(await texts(sql`select id from kids order by id`), ["k", "orphan"]);
});

test("a table that others refer to is not dropped inside a transaction of the application", async () => {
  await rejectsWithCode("E_MIGRATION_IN_TRANSACTION", () =>
    database.transaction(() => run("alter table parents modify column name varchar(20) not null")),
  );
  await assertRowsAreKept();
  await database.transaction(() => run("alter table kids modify column id varchar(20) not null"));
  await assertRowsAreKept();
});

test("full-text search goes on after a change of its table", async () => {
  const make = (max: number) =>
    Table.make("notes", { schema: Schema.record({ body: Schema.string({ max }) }), search: { fullText: ["body"] } });
  const migrate = async (table: ReturnType<typeof make>): Promise<void> => {
    const tables = (): readonly [typeof table] => [table];
    for (const { statements } of await Migration.service({ database, tables }).drift()) await run(statements);
    assert.deepEqual(await Migration.service({ database, tables }).drift(), []);
  };
  await migrate(make(50));
  await make(50).insert(database, { body: "one two" });
  await migrate(make(80));
  await make(80).insert(database, { body: "two three" });
  const find = sql.value(Row.int)`select count(*) from notes_full_text where notes_full_text match 'two'`;
  assert.equal(await database.find(find), 2);
});
