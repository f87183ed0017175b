import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import type { Command } from "../core/index.ts";
import { Random } from "../random/index.ts";
import { Schema } from "../schema/index.ts";
import { assertErrorCode } from "../testing/assert-error-code.ts";
import { captureOutput } from "../testing/index.ts";
import type { Database } from "../database/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import * as Row from "../database/row/row.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { sql } from "../database/statement/sql.ts";
import { Table } from "../entry-points/table.ts";
import type { RelatedTable } from "../table/relation.ts";
import * as Migration from "./migration.ts";
import { findDrift } from "./schema/drift.ts";

const projects = Table.make("projects", {
  schema: Schema.record({ name: Schema.string({ max: 100 }), note: Schema.optional(Schema.string()) }),
  unique: [["name"]],
});
const labels = Table.make("labels", { schema: Schema.record({ title: Schema.string({ max: 50 }) }) });
const issues = Table.make("issues", {
  schema: Schema.record({
    title: Schema.string({ max: 200 }),
    state: Schema.oneOf(["open", "closed"]),
    body: Schema.optional(Schema.string()),
    estimate: Schema.optional(Schema.int()),
    isDone: Schema.bool(),
    due: Schema.optional(Schema.date()),
  }),
  columns: {
    project_id: Row.uuid,
    assignee_id: Row.nullable(Row.uuid),
    extra: Row.nullable(Row.json()),
    raw: Row.nullable(Row.bytes),
  },
  timestamps: true,
  version: true,
  softDelete: true,
  indexes: ["state"],
  relations: {
    project: () => Table.belongsTo(projects, { onDelete: "cascade" }),
    assignee: () => Table.belongsTo(projects, { column: "assignee_id", onDelete: "set null" }),
    labels: () => Table.manyToMany(labels, { through: "issue_labels" }),
  },
});
const tables = [issues, projects, labels];

function driftCases(name: string, database: Database): void {
  before(() => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    return database.start({ services: [database] });
  });
  after(() => database.stop());
  const migration = Migration.service({
    database,
    migrations: [
      Migration.make("generated", [
        Migration.step("tables", {
          sqlite: () => Table.createStatements(tables, database.dialect()),
          postgresql: () => Table.createStatements(tables, database.dialect()),
          mariadb: () => Table.createStatements(tables, database.dialect()),
        }),
      ]),
    ],
    tables: () => tables,
  });
  const diff = async (...flags: readonly string[]): Promise<readonly string[]> => {
    const output = captureOutput();
    const [command] = migration.commands as readonly [Command.Command];
    const { signal } = new AbortController();
    await command.run(["diff", ...flags], { services: [database, migration], output, signal });
    return output.stdoutLines;
  };
  const problems = async (): Promise<readonly string[]> =>
    (await migration.drift()).map(({ table, problem }) => `${table}: ${problem}`);
  const run = (text: string | readonly string[]): Promise<unknown> =>
    Migration.service({
      database,
      migrations: [Migration.make(`change${++changes}`, [Migration.step("x", text)])],
    }).runAll();
  let changes = 0;
  /** Applies the statements of the drift that are no comments. */
  const applyDiff = async (): Promise<void> => {
    for (const { statements } of await migration.drift()) {
      for (const statement of statements) if (!statement.startsWith("--")) await run(statement);
    }
  };

  test(`${name}: migrate diff prints the migration of an empty database, and it closes the difference`, async () => {
    assert.deepEqual(await problems(), [
      "issues: The table is missing.",
      "projects: The table is missing.",
      "labels: The table is missing.",
      "issue_labels: The table is missing.",
    ]);
    const lines = await diff();
    assert.ok(
      lines.some((line) => /^create table .issues/.test(line)),
      lines.join("\n"),
    );
    await assertErrorCode("E_MIGRATION_DRIFT", () => diff("--check"));
    await applyDiff();
    assert.deepEqual(await problems(), []);
    assert.deepEqual(await diff("--check"), ["-- The database has the described tables."]);
  });

  test(`${name}: finds another action of a foreign key, and a column that became required or longer`, async () => {
    const changed = Table.make("labels", {
      schema: Schema.record({ title: Schema.string({ max: 80 }), color: Schema.string({ max: 7 }) }),
      relations: { label: () => Table.belongsTo(changed, { column: "label_id", onDelete: "set null" }) },
      columns: { label_id: Row.nullable(Row.uuid) },
    });
    const other = Migration.service({ database, migrations: [], tables: () => [changed] });
    const found = (await other.drift()).map(({ problem }) => problem);
    const type = found.filter((problem) => problem.startsWith('The column "title" has the type'));
    assert.equal(type.length, 1);
    assert.deepEqual(
      found.filter((problem) => !type.includes(problem)),
      [
        'The column "color" is missing.',
        'The column "label_id" is missing.',
        "The index on label_id is missing.",
        'The foreign key "label_id" to labels is missing.',
      ],
    );
    const color = (await other.drift()).find(({ problem }) => problem.includes("color"));
    assert.match(color?.statements.join("\n") ?? "", /add column .color. .*\n-- fill "color", then make it not null/);
  });

  test(`${name}: finds a missing full-text search, and its own columns and indexes are no difference`, async () => {
    const schema = Schema.record({ body: Schema.text() });
    const plain = Table.make("texts", { schema });
    const searched = Table.make("texts", { schema, search: { fullText: ["body"] } });
    const driftOf = (table: RelatedTable): Promise<readonly Migration.Drift[]> =>
      Migration.service({ database, migrations: [], tables: () => [table] }).drift();
    for (const { statements } of await driftOf(plain)) for (const statement of statements) await run(statement);
    assert.deepEqual(await driftOf(plain), []);
    const [missing, ...others] = await driftOf(searched);
    assert.deepEqual([missing?.problem, others], ["The full-text search of body is missing.", []]);
    await run(missing?.statements ?? []);
    assert.deepEqual(await driftOf(searched), []);
    await database.exec(sql`drop table texts`);
    if (name === "SQLite") await run(["drop table texts_full_text", "drop table texts_full_text_rows"]);
    const [whole] = await driftOf(searched);
    assert.equal(whole?.problem, "The table is missing.");
    await run(whole?.statements ?? []);
    assert.deepEqual(await driftOf(searched), []);
  });

  test(`${name}: migrate diff --write writes a migration that stands alone`, async () => {
    const root = mkdtempSync(join(tmpdir(), "limmat-diff-"));
    const former = ConfigurationInternals.root();
    ConfigurationInternals.setProjectRoot(root);
    try {
      mkdirSync(join(root, "database"));
      writeFileSync(join(root, "database/migration.ts"), "export const migrations = [];\n");
      const notes = Table.make("notes", {
        schema: Schema.record({ text: Schema.string({ max: 9 }), kind: Schema.oneOf(["a`${x}", "b\\\\", "c'"]) }),
        relations: { issue: () => Table.belongsTo(issues) },
        columns: { issue_id: Row.uuid },
      });
      const service = Migration.service({ database, migrations: [], tables: () => [...tables, notes] });
      const output = captureOutput();
      const [command] = service.commands as readonly [Command.Command];
      const { signal } = new AbortController();
      const context = { services: [database, service], output, signal };
      await command.run(["diff", "--write", "create_notes"], context);
      assert.deepEqual(output.stdoutLines, [
        "Wrote database/migration/create-notes.ts, and added it to database/migration.ts.",
      ]);
      assert.equal(
        readFileSync(join(root, "database/migration.ts"), "utf8"),
        'import { createNotes } from "./migration/create-notes.ts";\n\nexport const migrations = [createNotes];\n',
      );
      await assertErrorCode("E_MIGRATION_FILE_EXISTS", () => command.run(["diff", "--write", "create_notes"], context));
      await assertErrorCode("E_MIGRATION_NAME", () => command.run(["diff", "--write", "../x"], context));
      const path = join(root, "database/migration/create-notes.ts");
      const source = readFileSync(path, "utf8").replace(
        '"limmat"',
        JSON.stringify(import.meta.resolve("../entry-points/database.ts")),
      );
      writeFileSync(path, source);
      const { createNotes } = (await import(pathToFileURL(path).href)) as { readonly createNotes: Migration.Migration };
      const written = Migration.service({ database, migrations: [createNotes], tables: () => [...tables, notes] });
      const [writtenCommand] = written.commands as readonly [Command.Command];
      const writtenContext = { ...context, services: [database, written] };
      const repeated = writtenCommand.run(["diff", "--write", "again"], writtenContext);
      await assertErrorCode("E_MIGRATION_PENDING", () => repeated);
      await written.runAll();
      assert.deepEqual(await written.drift(), []);
      await command.run(["diff", "--write", "again"], context);
      assert.equal(output.stdoutLines.at(-1), "The database has the described tables.");
      const changed = Table.make("notes", {
        schema: Schema.record({ text: Schema.string({ max: 5 }), kind: Schema.oneOf(["a`${x}", "c'", "d */"]) }),
        relations: { issue: () => Table.belongsTo(issues, { onDelete: "cascade" }) },
        columns: { issue_id: Row.uuid },
        unique: [["text"]],
      });
      const changing = Migration.service({ database, tables: () => [...tables, changed] });
      const [change] = changing.commands as readonly [Command.Command];
      await change.run(["diff", "--write", "change_notes"], { ...context, services: [database, changing] });
      const changePath = join(root, "database/migration/change-notes.ts");
      const changeSource = readFileSync(changePath, "utf8");
      for (const part of ["sqlite:", "postgresql:", "mariadb:", "modify column", "refused while"]) {
        assert.ok(changeSource.includes(part), changeSource);
      }
      // Constraints have the names that the database gives them, whichever one the migration was written on.
      assert.match(changeSource, /drop constraint "notes_kind_check"/);
      assert.match(changeSource, /drop constraint "notes_issue_id_fkey"/);
      assert.match(changeSource, /drop foreign key "notes_ibfk_1"/);
      assert.match(changeSource, /drop foreign key \("issue_id"\)/);
      writeFileSync(
        changePath,
        changeSource.replace('"limmat"', JSON.stringify(import.meta.resolve("../entry-points/database.ts"))),
      );
      const { changeNotes } = (await import(pathToFileURL(changePath).href)) as {
        readonly changeNotes: Migration.Migration;
      };
      const migrations = [createNotes, changeNotes];
      const last = Migration.service({ database, migrations, tables: () => [...tables, changed] });
      await last.runAll();
      assert.deepEqual(await last.drift(), []);
      await database.exec(sql`drop table notes`);
    } finally {
      ConfigurationInternals.setProjectRoot(former);
      rmSync(root, { recursive: true });
    }
  });

  test(`${name}: finds missing and further columns, indexes and foreign keys`, async () => {
    await run("drop index issues_state" + (name === "MariaDB" ? " on issues" : ""));
    await run("alter table issues drop column body");
    await run("alter table issues add column surplus varchar(10)");
    await run("create index issues_surplus on issues (surplus)");
    assert.deepEqual(await problems(), [
      'issues: The column "body" is missing.',
      'issues: The column "surplus" is not described.',
      "issues: The index on state is missing.",
      'issues: The index "issues_surplus" on surplus is not described.',
    ]);
    await applyDiff();
    await run("drop index issues_surplus" + (name === "MariaDB" ? " on issues" : ""));
    await run("alter table issues drop column surplus");
    assert.deepEqual(await problems(), []);
  });

  test(`${name}: finds other defaults and other allowed texts`, async () => {
    const stored = {
      kind: Schema.oneOf(["a'b", "c"], { default: "c" }),
      only: Schema.oneOf(["x"]),
      odd: Schema.oneOf(["a\\b", "😀", "?"], { default: "a\\b" }),
      rest: Schema.string({ max: 20, default: '\\ "é" 😀\n\t%' }),
      count: Schema.int({ default: -1 }),
      isOpen: Schema.bool({ default: true }),
      price: Schema.decimal({ default: "1.5" }),
      word: Schema.string({ max: 20, default: "it's" }),
      plain: Schema.string({ max: 20 }),
    };
    const make = (fields: Readonly<Record<string, Schema.Member>>): RelatedTable =>
      Table.make("choices", { schema: Schema.record(fields) });
    const driftOf = (table: RelatedTable): Promise<readonly Migration.Drift[]> =>
      Migration.service({ database, migrations: [], tables: () => [table] }).drift();
    for (const { statements } of await driftOf(make(stored))) for (const statement of statements) await run(statement);
    assert.deepEqual(await driftOf(make(stored)), []);
    const changed = make({
      ...stored,
      kind: Schema.oneOf(["a'b", "c", "d"], { default: "d" }),
      only: Schema.oneOf(["x", "y"]),
      count: Schema.int({ default: 2 }),
      isOpen: Schema.bool({ default: false }),
      plain: Schema.oneOf(["p", "q"]),
    });
    const drift = (await driftOf(changed)).filter(({ problem }) => !problem.includes("has the type"));
    const problemsOfValues = drift.map(({ problem }) =>
      problem.replace(/the default .* instead of .*$/, "the default"),
    );
    assert.deepEqual(problemsOfValues, [
      'The column "kind" has the default',
      "The column \"kind\" accepts a'b, c instead of a'b, c, d.",
      'The column "only" accepts x instead of x, y.',
      'The column "count" has the default',
      'The column "isOpen" has the default',
      'The column "plain" accepts other texts than p, q.',
    ]);
    await database.exec(sql`insert into choices (id, ${sql.identifier("only", ["only"])}, word, price, plain)
      values ('00000000-0000-4000-8000-000000000001', 'x', 'kept', 2.5, 'p')`);
    for (const { statements } of await driftOf(changed)) if (statements.length > 0) await run(statements);
    assert.deepEqual(await driftOf(changed), []);
    const [row] = await database.collect(
      sql.row(Row.record({ word: Row.text, plain: Row.text }))`select word, plain from choices`,
    );
    assert.deepEqual(row, { word: "kept", plain: "p" });
    await run("drop table choices");
  });

  test(`${name}: the bounds of a decimal are a check constraint, and other ones are found`, async () => {
    const make = (price: Schema.Member): RelatedTable =>
      Table.make("prices", {
        schema: Schema.record({
          price,
          price_old: Schema.optional(Schema.decimal({ precision: 20, scale: 0, min: "-5", max: 99 })),
        }),
      });
    const driftOf = (price: Schema.Member): Promise<readonly Migration.Drift[]> =>
      Migration.service({ database, migrations: [], tables: () => [make(price)] }).drift();
    const change = async (price: Schema.Member): Promise<readonly string[]> => {
      const drift = await driftOf(price);
      for (const { statements } of drift) if (statements.length > 0) await run(statements);
      assert.deepEqual(await driftOf(price), []);
      return drift.map(({ problem }) => problem.replace(/has the type .*/, "has the type"));
    };
    const insert = (price: string, old: string | null = null): Promise<unknown> =>
      database.exec(sql`insert into prices (id, price, price_old) values (${Random.uuid()}, ${price}, ${old})`);
    const range = Schema.decimal({ min: "-0.50", max: "100.25" });
    await change(range);
    for (const [price, old] of [
      ["-0.50", null],
      ["100.25", "-5"],
      ["9.00", "99"],
      ["0.00", "9"],
    ] as const)
      await insert(price, old);
    for (const [price, old] of [
      ["-0.51", null],
      ["100.26", null],
      ["1000", null],
      ["1", "-6"],
      ["1", "100"],
    ] as const) {
      await assertErrorCode("E_DATABASE_CHECK", () => insert(price, old));
    }
    assert.deepEqual(await change(Schema.decimal({ min: -1, max: "100.25" })), [
      'The column "price" accepts from -0.50 to 100.25 instead of from -1.00 to 100.25.',
    ]);
    await insert("-0.75");
    await assertErrorCode("E_MIGRATION_VALUES", () => change(range));
    await database.exec(sql`delete from prices where price = ${"-0.75"}`);
    assert.deepEqual(await change(Schema.decimal()), ['The column "price" accepts only from -1.00 to 100.25.']);
    await insert("-0.75");
    await assertErrorCode("E_MIGRATION_VALUES", () => change(Schema.decimal({ min: 0 })));
    await database.exec(sql`delete from prices where price < 0`);
    assert.deepEqual(await change(Schema.decimal({ min: 0 })), [
      'The column "price" accepts other numbers than 0.00 or more.',
    ]);
    assert.deepEqual(
      await change(Schema.decimal({ max: 200, precision: 14 })),
      ['The column "price" has the type', 'The column "price" accepts 0.00 or more instead of 200.00 or less.'].slice(
        name === "SQLite" ? 1 : 0,
      ),
    );
    const text = Schema.string({ max: 20 });
    assert.deepEqual(await change(text), [
      'The column "price" has the type',
      'The column "price" accepts only 200.00 or less.',
    ]);
    await database.exec(sql`delete from prices where price <> ${"100.25"}`);
    assert.equal((await change(range))[0], 'The column "price" has the type');
    await run("drop table prices");
  });

  test(`${name}: leaves the other checks of a table alone`, async () => {
    const offers = Table.make("offers", {
      schema: Schema.record({
        price: Schema.decimal(),
        cost: Schema.decimal({ min: 0 }),
        state: Schema.string({ max: 9 }),
        note: Schema.oneOf(["(a)", "check (b)"]),
      }),
    });
    const [create = "", ...others] = Table.createStatements([offers], database.dialect());
    const conditions = [
      "price >= 10 * cost",
      "price <= 5 or state = 'a'",
      "abs(price) <= 5",
      "price >= 1 and cost >= 1",
      "(price >= 0) or (cost >= 1)",
      "state = 'a' or price > cost",
      "note in ('(a)') or price > 5",
    ];
    const checks = conditions.map((condition) => `check (${condition})`);
    await run([create.replace(/\)\s*$/, `, ${checks.join(", ")})`), ...others]);
    assert.deepEqual(await Migration.service({ database, migrations: [], tables: () => [offers] }).drift(), []);
    await run("drop table offers");
  });

  test(`${name}: finds other types and nullability`, async () => {
    await database.exec(sql`drop table issue_labels`);
    await database.exec(sql`drop table labels`);
    await run("create table labels (id integer primary key, title varchar(50))");
    const found = await problems();
    assert.equal(found.length, name === "SQLite" ? 3 : 4, found.join("\n"));
    assert.match(found[0] ?? "", /^issue_labels: The table is missing/);
    assert.match(found[1] ?? "", /^labels: The column "id" has the type .* instead of /);
    if (name !== "SQLite") assert.match(found[2] ?? "", /^labels: The column "title" has the type .* instead of /);
    assert.ok(found.includes('labels: The column "title" accepts NULL, but must not.'), found.join("\n"));
  });
}

driftCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => driftCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => driftCases("MariaDB", mariadb({ url })));

/** Returns the differences between described tables and an empty database. */
async function driftOfEmpty(described: readonly RelatedTable[]): Promise<readonly Migration.Drift[]> {
  const database = sqlite({ url: "sqlite::memory:" });
  await database.start({ services: [database] });
  const drift = findDrift(
    described.map((table) => Table.describe(table)),
    new Map(),
    database.dialect(),
  );
  await database.stop();
  return drift;
}

test("a join table that is described as a table is compared with its description", async () => {
  const issueLabels = Table.make("issue_labels", {
    schema: Schema.record({ note: Schema.string({ max: 50 }) }),
    columns: { issue_id: Row.uuid, label_id: Row.uuid },
  });
  const drift = await driftOfEmpty([issueLabels, ...tables]);
  assert.equal(drift.filter(({ table }) => table === "issue_labels").length, 1);
  const statements = drift.flatMap((difference) => difference.statements);
  const created = statements.filter((statement) => statement.startsWith('create table "issue_labels"'));
  assert.equal(created.length, 1);
  assert.match(created[0] ?? "", /"note"/);
});

test("all missing tables are named before their statements, which have one order", async () => {
  const drift = await driftOfEmpty(tables);
  assert.ok(drift.length > 1);
  assert.deepEqual(
    drift.map(({ statements }) => statements.length > 0),
    drift.map((_, index) => index === drift.length - 1),
  );
});
