// The contract of `Table`, on SQLite, PostgreSQL and MariaDB.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Configuration, isError, Random, Schema, Time } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Row, sql, type Statement } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { hostileText, payloads } from "../../packages/limmat-contracts/src/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { hasAllRounds, sample } from "../rounds.ts";

const people = Table.make("people", {
  schema: Schema.record({ email: Schema.string() }),
  unique: [["email"]],
  singular: "person",
});
const projects = Table.make("projects", {
  schema: Schema.record({ name: Schema.string({ max: 100 }) }),
  columns: { owner_id: Row.optional(Row.uuid) },
  softDelete: true,
  relations: {
    owner: () => Table.belongsTo(people, { onDelete: "set null" }),
    issues: () => Table.hasMany(issues, { orderBy: { number: "desc" } }),
  },
});
const labels = Table.make("labels", {
  schema: Schema.record({ name: Schema.string() }),
  softDelete: true,
  relations: { issues: () => Table.manyToMany(issues, { through: "issue_labels" }) },
});
const issues = Table.make("issues", {
  schema: Schema.record({
    title: Schema.string({ max: 200 }),
    state: Schema.oneOf(["open", "closed"], { default: "open" }),
    assignee_id: Schema.optional(Schema.uuid()),
    order: Schema.optional(Schema.string()),
  }),
  columns: { project_id: Row.uuid, number: Row.int },
  timestamps: true,
  version: true,
  softDelete: true,
  relations: {
    project: () => Table.belongsTo(projects),
    assignee: () => Table.belongsTo(people, { onDelete: "set null" }),
    labels: () => Table.manyToMany(labels, { through: "issue_labels", orderBy: "name" }),
    comments: () => Table.hasMany(comments, { orderBy: "text" }),
    draft: () => Table.hasOne(drafts),
    parts: () => Table.hasMany(comments, { column: "part_of_id" }),
  },
  unique: [["project_id", "number"]],
  indexes: ["state"],
  search: {
    filter: ["title"],
    filterBy: ["state", "assignee_id"],
    sortBy: ["number", "title"],
    fullText: ["title", "order"],
  },
});
const comments = Table.make("comments", {
  schema: Schema.record({ text: Schema.text() }),
  columns: { issue_id: Row.uuid, part_of_id: Row.optional(Row.uuid) },
  id: "uuid7",
  softDelete: true,
  relations: { issue: () => Table.belongsTo(issues, { onDelete: "cascade" }) },
});
const drafts = Table.make("drafts", {
  schema: Schema.record({ text: Schema.text() }),
  columns: { issue_id: Row.uuid },
  relations: { issue: () => Table.belongsTo(issues, { onDelete: "cascade" }) },
});
/** Columns with the names of those that options add, without the options. */
const documents = Table.make("documents", {
  schema: Schema.record({ version: Schema.string(), created_at: Schema.string(), deleted_at: Schema.string() }),
  columns: { updated_at: Row.int },
  unique: [["version"]],
});
const tables = [issues, comments, drafts, projects, labels, people, documents];

/** Counts the statements of operations outside of transactions. */
function counting(database: Database): Database & { readonly count: () => number } {
  let count = 0;
  const counted = <T>(run: () => T): T => {
    count += 1;
    return run();
  };
  return {
    ...database,
    find: (...args) => counted(() => database.find(...args)),
    findOpt: (...args) => counted(() => database.findOpt(...args)),
    collect: (...args) => counted(() => database.collect(...args)),
    exec: (...args) => counted(() => database.exec(...args)),
    count: () => count,
  };
}

function tableCases(name: string, database: Database): void {
  describe(name, () => {
    let project: Table.Infer<typeof projects>;
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      await database.query(async (handle) => {
        for (const statement of Table.createStatements(tables, database.dialect())) {
          await handle.exec(rawStatement(statement));
        }
      });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(async () => {
      for (const table of [
        "issue_labels",
        "comments",
        "drafts",
        "issues",
        "labels",
        "projects",
        "people",
        "documents",
      ]) {
        await database.exec(rawStatement(`delete from ${table}`));
      }
      project = await projects.insert(database, { name: "p" });
    });

    let number = 0;
    const insertIssue = (
      values: Partial<Parameters<typeof issues.insert>[1]> = {},
    ): Promise<Table.Infer<typeof issues>> =>
      issues.insert(database, { title: "t", state: "open", project_id: project.id, number: ++number, ...values });

    test("returns an inserted row with id, defaults, timestamps and version", async () => {
      const startedAt = Time.now();
      const issue = await issues.insert(database, { title: hostileText, project_id: project.id, number: 1 } as never);
      assert.match(issue.id, /^[0-9a-f-]{36}$/);
      const { created_at, updated_at, id, ...others } = issue;
      assert.deepEqual(others, {
        title: hostileText,
        state: "open",
        assignee_id: undefined,
        order: undefined,
        project_id: project.id,
        number: 1,
        version: 1,
        deleted_at: null,
      });
      assert.ok(created_at >= startedAt && updated_at.getTime() === created_at.getTime());
      assert.deepEqual(await issues.find(database, id), issue);
      assert.deepEqual(await issues.find(database, id.toUpperCase()), issue);
    });

    test("inserts many rows in order, all or none", async () => {
      const values = Array.from({ length: 5000 }, (_, index) => ({
        text: `${hostileText}${index}`,
        issue_id: "",
      }));
      const issue = await insertIssue();
      const rows = await comments.insertAll(
        database,
        values.map((row) => ({ ...row, issue_id: issue.id })),
      );
      assert.deepEqual(
        rows.map(({ text }) => text),
        values.map(({ text }) => text),
      );
      assert.deepEqual(await comments.collect(database), rows);
      const broken = [...values.map((row) => ({ ...row, issue_id: issue.id })), { text: "", issue_id: Random.uuid() }];
      await assert.rejects(comments.insertAll(database, broken), { code: "E_DATABASE_FOREIGN_KEY" });
      assert.equal(await comments.count(database), 5000);
      assert.deepEqual(await comments.insertAll(database, []), []);
      await database.transaction(async (transaction) => {
        await comments.insertAll(
          transaction,
          values.slice(0, 100).map((row) => ({ ...row, issue_id: issue.id })),
        );
      });
      assert.equal(await comments.count(database), 5100);
    });

    test("inserts many texts of all characters, and refuses those that cannot be stored", async () => {
      const issue = await insertIssue();
      const characters = Array.from({ length: 0x100 }, (_, code) => `${String.fromCharCode(code + 1)}n"`);
      const escapes = ["\\n", '\\"', "\\u0041", "\\\\n", "\\"];
      const texts = [...characters, ...escapes, "null", "NULL", "{}", ",", "", "\u2028\u{1f600}"];
      const rows = await comments.insertAll(
        database,
        texts.map((text) => ({ text, issue_id: issue.id })),
      );
      assert.deepEqual(
        rows.map(({ text }) => text),
        texts,
      );
      assert.deepEqual(await comments.collect(database), rows);
      for (const text of ["a\0", "\ud83d", "\udc00a"]) {
        const values = [
          { text: "fine", issue_id: issue.id },
          { text, issue_id: issue.id },
        ];
        await assert.rejects(comments.insertAll(database, values), { code: "E_SQL_TEXT" });
      }
      assert.equal(await comments.count(database), texts.length);
    });

    test("updates columns, and refuses a change based on an old version", async () => {
      const issue = await insertIssue();
      const updated = await issues.update(database, issue, { title: "new", assignee_id: undefined });
      assert.deepEqual({ ...updated, updated_at: issue.updated_at }, { ...issue, title: "new", version: 2 });
      await assert.rejects(issues.update(database, issue, { title: "late" }), { code: "E_STALE", status: 409 });
      await assert.rejects(issues.delete(database, issue), { code: "E_STALE" });
      assert.equal((await issues.update(database, { id: issue.id, version: 2 }, { title: "v" })).version, 3);
      assert.equal((await issues.update(database, { id: issue.id, version: "any" }, {})).version, 4);
      const missing = { id: Random.uuid(), version: 1 };
      await assert.rejects(issues.update(database, missing, { title: "x" }), { code: "E_DATABASE_NO_ROW" });
      await assert.rejects(issues.update(database, { id: "x", version: 1 }, {}), { code: "E_DATABASE_NO_ROW" });
      assert.deepEqual(await projects.update(database, project, {}), project);
    });

    test("lets one of two concurrent changes win", async () => {
      const issue = await insertIssue();
      const results = await Promise.allSettled(
        Array.from({ length: 5 }, (_, index) => issues.update(database, issue, { title: `t${index}` })),
      );
      assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      for (const result of results) if (result.status === "rejected") assert.ok(isError(result.reason, "E_STALE"));
    });

    test("finds rows by id, equalities, lists, NULL and SQL", async () => {
      const person = await people.insert(database, { email: "a@example.com" });
      const first = await insertIssue({ title: "a", assignee_id: person.id, state: "closed" });
      const second = await insertIssue({ title: "b" });
      const titles = async (where: Parameters<typeof issues.where>[0]): Promise<string[]> =>
        (await issues.collect(database, { where, orderBy: "title" })).map(({ title }) => title);
      assert.deepEqual(await titles({}), ["a", "b"]);
      assert.deepEqual(await titles({ assignee_id: null }), ["b"]);
      assert.deepEqual(await titles({ state: "closed", assignee_id: person.id }), ["a"]);
      assert.deepEqual(await titles({ state: ["open", "closed"], id: [first.id, second.id, "no id"] }), ["a", "b"]);
      assert.deepEqual(await titles({ id: [] }), []);
      assert.deepEqual(await titles({ assignee_id: "no id" }), []);
      assert.deepEqual(await titles(sql`${issues.where({ title: "a" })} or ${issues.where({ title: "b" })}`), [
        "a",
        "b",
      ]);
      const isA = issues.where(sql`title = 'none' or title = 'a'`);
      assert.deepEqual(await titles(sql`title = 'b' and ${isA}`), []);
      assert.deepEqual(await titles(sql`not ${issues.where({ title: "b", state: "closed" })}`), ["a", "b"]);
      assert.deepEqual(await issues.findOpt(database, { title: "b" }), second);
      assert.equal(await issues.findOpt(database, "no id"), undefined);
      assert.equal(await issues.findOpt(database, Random.uuid()), undefined);
      await assert.rejects(issues.find(database, "no id"), { code: "E_DATABASE_NO_ROW" });
      await assert.rejects(issues.find(database, {}), { code: "E_DATABASE_TOO_MANY_ROWS" });
      assert.equal(await issues.exists(database, { title: "b" }), true);
      assert.equal(await issues.exists(database, "no id"), false);
      assert.equal(await issues.count(database, { project_id: project.id }), 2);
    });

    test("reads two of many rows to refuse a condition that matches more than one", async () => {
      await labels.insertAll(
        database,
        ["a", "b", "c"].map((label) => ({ name: label })),
      );
      let rowCount = 0;
      const reading: Database = {
        ...database,
        findOpt: async (statement, options) => {
          rowCount = (await database.collect(statement)).length;
          return database.findOpt(statement, options);
        },
      };
      await assert.rejects(labels.find(reading, {}), { code: "E_DATABASE_TOO_MANY_ROWS" });
      assert.equal(rowCount, 2);
    });

    test("orders rows by columns with NULL first, and limits them", async () => {
      for (const [order, title] of [
        ["b", "1"],
        [undefined, "2"],
        ["a", "3"],
      ] as const) {
        await insertIssue({ order, title });
      }
      const titles = async (options: Parameters<typeof issues.collect>[1]): Promise<string> =>
        (await issues.collect(database, options)).map(({ title }) => title).join("");
      assert.equal(await titles({ orderBy: "order" }), "231");
      assert.equal(await titles({ orderBy: { order: "desc" } }), "132");
      assert.equal(await titles({ orderBy: { state: "asc", title: "desc" } }), "321");
      assert.equal(await titles({ orderBy: "title", limit: 1, offset: 1 }), "2");
      assert.equal(await titles({ orderBy: "title", offset: 2 }), "3");
      assert.equal(await titles({ orderBy: "title", limit: 0 }), "");
    });

    test("loads relations, nested, with one statement each", async () => {
      const owner = await people.insert(database, { email: "o@example.com" });
      await projects.update(database, project, { owner_id: owner.id });
      const [one, two] = [await insertIssue({ assignee_id: owner.id }), await insertIssue()];
      const [red, blue] = [
        await labels.insert(database, { name: "red" }),
        await labels.insert(database, { name: "blue" }),
      ];
      await issues.links.labels.add(database, one, [red.id, blue.id]);
      await issues.links.labels.add(database, two, [red.id]);
      for (const text of ["b", "a"]) await comments.insert(database, { text, issue_id: one.id, part_of_id: two.id });
      const draft = await drafts.insert(database, { text: "d", issue_id: two.id });
      const counter = counting(database);
      const [first, second] = await issues.collect(counter, {
        orderBy: "number",
        with: ["labels", "assignee", "comments", "draft", "parts", { project: ["owner", { issues: ["labels"] }] }],
        counts: ["comments", "labels"],
      });
      assert.equal(counter.count(), 1 + 6 + 2 + 2 + 1);
      assert.deepEqual([first?.labels, second?.labels], [[blue, red], [red]]);
      assert.deepEqual([first?.assignee, second?.assignee], [owner, undefined]);
      assert.deepEqual(
        first?.comments.map(({ text }) => text),
        ["a", "b"],
      );
      assert.deepEqual([second?.comments, second?.parts.length, first?.parts], [[], 2, []]);
      assert.deepEqual([first?.draft, second?.draft], [undefined, draft]);
      assert.deepEqual(first?.project?.owner, owner);
      assert.deepEqual(
        first?.project?.issues.map((issue) => [issue.id, issue.labels.length]),
        [
          [two.id, 1],
          [one.id, 2],
        ],
      );
      assert.deepEqual([first?.comments_count, first?.labels_count, second?.comments_count], [2, 2, 0]);
      const found = await issues.find(database, one.id, { with: ["labels"], counts: ["comments"] });
      assert.deepEqual([found.labels.length, found.comments_count], [2, 2]);
    });

    test("refuses a required relation whose row is gone, and names at run time that are no relations", async () => {
      const issue = await insertIssue();
      await comments.insert(database, { text: "c", issue_id: issue.id });
      let statements = 0;
      const losing: Database = {
        ...database,
        collect: async (statement, options) => ((statements += 1) === 2 ? [] : database.collect(statement, options)),
      };
      await assert.rejects(comments.collect(losing, { with: ["issue"], withDeleted: true }), {
        code: "E_TABLE_TARGET",
      });
      await issues.delete(database, issue);
      assert.deepEqual((await comments.collect(database, { with: ["issue"] }))[0]?.issue, undefined);
      assert.deepEqual(Table.relationsOf(issues, ["labels", "project"]), ["labels", "project"]);
      assert.deepEqual(Table.relationsOf(issues), []);
      assert.throws(() => Table.relationsOf(issues, ["labels", "constructor"]), { code: "E_TABLE_RELATION" });
    });

    test("loads relations of a thousand rows with three statements", async () => {
      await issues.insertAll(
        database,
        Array.from({ length: 1000 }, (_, index) => ({
          title: "t",
          state: "open" as const,
          project_id: project.id,
          number: 10_000 + index,
        })),
      );
      const counter = counting(database);
      const rows = await issues.collect(counter, { with: ["project", "labels"] });
      assert.equal(rows.length, 1000);
      assert.equal(counter.count(), 3);
      for (const row of rows) assert.deepEqual([row.project?.id, row.labels], [project.id, []]);
      const empty = counting(database);
      assert.deepEqual(await issues.collect(empty, { where: { title: "none" }, with: ["project", "labels"] }), []);
      assert.equal(empty.count(), 1);
    });

    const manyRows = {
      skip:
        name !== "SQLite" && !hasAllRounds && "npm run test:long inserts 100,000 rows into the databases of servers",
    };
    test("loads relations of more rows than one statement has keys", manyRows, async () => {
      await issues.insert(database, { title: "t", state: "open", project_id: project.id, number: ++number });
      await projects.insertAll(
        database,
        Array.from({ length: 100_000 }, () => ({ name: "many" })),
      );
      const counter = counting(database);
      const all = await projects.collect(counter, { with: ["issues"], counts: ["issues"] });
      assert.equal(counter.count(), 5);
      const found = all.find(({ id }) => id === project.id);
      assert.deepEqual([all.length, found?.issues.length, found?.issues_count], [100_001, 1, 1]);
      await database.exec(sql`delete from issues`);
      await database.exec(sql`delete from projects`);
    });

    test("sets, adds and removes links", async () => {
      const issue = await insertIssue();
      const [a, b, c] = await labels.insertAll(database, [{ name: "a" }, { name: "b" }, { name: "c" }]);
      const names = async (): Promise<string> =>
        (await issues.find(database, issue.id, { with: ["labels"] })).labels.map((label) => label.name).join("");
      const { labels: links } = issues.links;
      await links.add(database, issue, [a!.id, b!.id, a!.id]);
      await links.add(database, issue, [b!.id.toUpperCase()]);
      assert.equal(await names(), "ab");
      await links.set(database, issue, [b!.id, c!.id]);
      assert.equal(await names(), "bc");
      await links.remove(database, issue, [c!.id, a!.id]);
      assert.equal(await names(), "b");
      await links.set(database, issue, []);
      assert.equal(await names(), "");
      await links.add(database, issue, []);
      await assert.rejects(links.add(database, issue, [Random.uuid()]), { code: "E_DATABASE_FOREIGN_KEY" });
      await assert.rejects(links.set(database, issue, ["x'; drop table labels"]), { code: "E_TABLE_VALUE" });
      await database.transaction((transaction) => links.set(transaction, issue, [a!.id]));
      assert.equal(await names(), "a");
      assert.equal((await labels.find(database, a!.id, { with: ["issues"] })).issues[0]?.id, issue.id);
    });

    test("hides deleted rows from operations and relations, until they are restored", async () => {
      const issue = await insertIssue();
      const comment = await comments.insert(database, { text: "c", issue_id: issue.id });
      const label = await labels.insert(database, { name: "l" });
      await issues.links.labels.add(database, issue, [label.id]);
      await comments.delete(database, comment);
      await labels.delete(database, label);
      await projects.delete(database, project);
      const loaded = await issues.find(database, issue.id, {
        with: ["comments", "labels", "project"],
        counts: ["comments", "labels"],
      });
      assert.deepEqual(
        [loaded.comments, loaded.labels, loaded.project, loaded.comments_count, loaded.labels_count],
        [[], [], undefined, 0, 0],
      );
      const all = await issues.find(database, issue.id, {
        with: ["comments", "labels", "project"],
        counts: ["comments", "labels"],
        withDeleted: true,
      });
      assert.deepEqual([all.comments.length, all.labels.length, all.project?.name], [1, 1, "p"]);
      assert.deepEqual([all.comments_count, all.labels_count], [1, 1]);

      await issues.delete(database, issue);
      assert.equal(await issues.findOpt(database, issue.id), undefined);
      assert.equal(await issues.exists(database, issue.id), false);
      assert.deepEqual([await issues.count(database), await issues.count(database, {}, { withDeleted: true })], [0, 1]);
      assert.deepEqual(await issues.search(database), [[], 0]);
      assert.equal((await issues.search(database, {}, { withDeleted: true }))[1], 1);
      await assert.rejects(issues.delete(database, { id: issue.id, version: "any" }), { code: "E_DATABASE_NO_ROW" });
      await assert.rejects(issues.update(database, { id: issue.id, version: 2 }, { title: "x" }), {
        code: "E_DATABASE_NO_ROW",
      });
      const deleted = await issues.find(database, issue.id, { withDeleted: true });
      assert.ok(deleted.deleted_at instanceof Date);
      await assert.rejects(issues.restore(database, issue), { code: "E_STALE" });
      const restored = await issues.restore(database, deleted);
      assert.deepEqual(restored, { ...issue, version: 3 });
      assert.deepEqual(await issues.find(database, issue.id), restored);
      assert.deepEqual(await issues.restore(database, restored), restored);
      await assert.rejects(issues.restore(database, deleted), { code: "E_STALE" });
      await assert.rejects(issues.restore(database, { id: Random.uuid(), version: "any" }), {
        code: "E_DATABASE_NO_ROW",
      });
      await issues.delete(database, restored, { permanently: true });
      assert.equal(await issues.count(database, {}, { withDeleted: true }), 0);
      await assert.rejects(issues.delete(database, restored, { permanently: true }), { code: "E_DATABASE_NO_ROW" });
      await assert.rejects(people.restore(database, { id: Random.uuid() }), { code: "E_TABLE" });
    });

    test("inserts or updates by a unique constraint", async () => {
      const value = { title: "a", state: "open", project_id: project.id, number: 7 } as const;
      const on = ["project_id", "number"] as const;
      const first = await issues.upsert(database, value, { on });
      const second = await issues.upsert(
        database,
        { ...value, title: "b", state: "closed" },
        { on, update: ["title"] },
      );
      assert.deepEqual([second.id, second.title, second.state, second.version], [first.id, "b", "open", 2]);
      assert.equal(second.created_at.getTime(), first.created_at.getTime());
      await issues.delete(database, second);
      const revived = await issues.upsert(database, { ...value, title: "c" }, { on });
      assert.deepEqual([revived.id, revived.title, revived.deleted_at], [first.id, "c", null]);
      assert.equal(await issues.count(database), 1);
      const person = await people.upsert(database, { email: "x@example.com" }, { on: ["email"] });
      assert.deepEqual(await people.upsert(database, { email: "x@example.com" }, { on: ["email"] }), person);
      await assert.rejects(issues.upsert(database, value, { on: ["title"] }), { code: "E_TABLE" });
      // The row exists by another constraint: nothing changes.
      await assert.rejects(issues.upsert(database, { ...value, id: first.id, number: 8, title: "d" }, { on }), {
        code: "E_DATABASE_UNIQUE",
      });
      assert.equal((await issues.find(database, first.id)).title, "c");
    });

    test("changes columns with the names of those that options add, in a table without the options", async () => {
      const value = { version: "1.0", created_at: "then", deleted_at: "never", updated_at: 1 };
      const first = await documents.insert(database, value);
      const changes = { created_at: "now", deleted_at: "later", updated_at: 2 };
      const changed = await documents.update(database, first, { ...changes, version: "1.1" });
      assert.deepEqual(changed, { ...changes, id: first.id, version: "1.1" });
      const upserted = await documents.upsert(database, { ...value, version: "1.1" }, { on: ["version"] });
      assert.deepEqual(upserted, { ...value, id: first.id, version: "1.1" });
      await assert.rejects(documents.update(database, first, { id: Random.uuid() } as never), {
        code: "E_TABLE_COLUMN",
        message: /version/,
      });
    });

    test("inserts a row once when many callers upsert it", async () => {
      const on = ["project_id", "number"] as const;
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          issues.upsert(
            database,
            { title: `t${index}`, state: "open", project_id: project.id, number: 5 },
            { on, maxRetries: 20 },
          ),
        ),
      );
      assert.equal(new Set(results.map(({ id }) => id)).size, 1);
      const [issue, ...others] = await issues.collect(database);
      assert.deepEqual([issue?.version, others], [10, []]);
    });

    test("links the same rows from many callers", async () => {
      const issue = await insertIssue();
      const rows = await labels.insertAll(database, [{ name: "a" }, { name: "b" }, { name: "c" }]);
      const ids = rows.map(({ id }) => id);
      await Promise.all(
        Array.from({ length: 8 }, () => issues.links.labels.set(database, issue, ids, { maxRetries: 20 })),
      );
      assert.equal((await issues.find(database, issue.id, { counts: ["labels"] })).labels_count, 3);
    });

    test("retries changes of links three times, unless the caller sets a number", async () => {
      const issue = await insertIssue();
      const label = await labels.insert(database, { name: "a" });
      const retries: unknown[] = [];
      const recording: Database = {
        ...database,
        exec: (statement, options) => {
          retries.push(options?.maxRetries);
          return database.exec(statement, options);
        },
        transaction: (callback, options) => {
          retries.push(options?.maxRetries);
          return database.transaction(callback, options);
        },
      };
      const { set, add, remove } = issues.links.labels;
      for (const change of [set, add, remove]) {
        await change(recording, issue, [label.id]);
        await change(recording, issue, [label.id], { maxRetries: 0 });
      }
      assert.deepEqual(retries, [3, 0, 3, 0, 3, 0]);
    });

    test("sets the links of one item from many callers, one after the other", async () => {
      const issue = await insertIssue();
      const values = Array.from({ length: 8 }, (_, index) => ({ name: `l${index}` }));
      const ids = (await labels.insertAll(database, values)).map(({ id }) => id);
      await Promise.all(ids.map((id) => issues.links.labels.set(database, issue, [id])));
      assert.equal((await issues.find(database, issue.id, { counts: ["labels"] })).labels_count, 1);
    });

    test("links an item to more rows than a statement has parameters", async () => {
      const issue = await insertIssue();
      const values = Array.from({ length: 40_000 }, (_, index) => ({ name: `l${index}` }));
      const ids = (await labels.insertAll(database, values)).map(({ id }) => id);
      await issues.links.labels.add(database, issue, ids);
      assert.equal((await issues.find(database, issue.id, { counts: ["labels"] })).labels_count, ids.length);
    });

    test("searches by the columns of the definition, with relations", async () => {
      const person = await people.insert(database, { email: "s@example.com" });
      for (let index = 1; index <= 5; index++) {
        await insertIssue({
          title: `title ${index % 2}`,
          number: index,
          ...(index > 3 ? { assignee_id: person.id } : {}),
        });
      }
      const [page, total] = await issues.search(
        database,
        { filter: "TITLE 1", sort: "asc", limit: 2 },
        { with: ["assignee"] },
      );
      assert.deepEqual(
        [page.map((issue) => [issue.number, issue.assignee]), total],
        [
          [
            [1, undefined],
            [3, undefined],
          ],
          3,
        ],
      );
      const [filtered] = await issues.search(database, { filterBy: { assignee_id: person.id }, sortBy: "number" });
      assert.deepEqual(
        filtered.map((issue) => issue.number),
        [5, 4],
      );
      const [own] = await issues.search(database, {}, { where: { number: [2, 3] }, total: false });
      assert.deepEqual(
        own.map((issue) => issue.number),
        [3, 2],
      );
      const [first, , cursors] = await issues.searchPage(database, { limit: 3 }, { counts: ["comments"] });
      const [second] = await issues.searchPage(database, { limit: 3, after: cursors.next });
      assert.deepEqual(
        [...first, ...second].map((issue) => issue.number),
        [5, 4, 3, 2, 1],
      );
      assert.equal(first[0]?.comments_count, 0);
      await assert.rejects(issues.search(database, { sortBy: "state" }), { code: "E_SEARCH" });
      await assert.rejects(issues.search(database, { filterBy: { project_id: project.id } }), { code: "E_SEARCH" });
    });

    test("searches texts by words, the most relevant first", async () => {
      for (const [title, order] of [
        ["the tree of life", "wood"],
        ["a wood of trees", undefined],
        ["nothing", "else"],
      ] as const) {
        await insertIssue({ title, order });
      }
      const titles = async (parameters: Parameters<typeof issues.search>[1]): Promise<readonly string[]> =>
        (await issues.search(database, parameters, { with: ["labels"] }))[0].map(({ title }) => title);
      assert.deepEqual((await titles({ text: "wood" })).toSorted(), ["a wood of trees", "the tree of life"]);
      assert.deepEqual(await titles({ text: "wood -tree", sortBy: "title" }), ["a wood of trees"]);
      assert.deepEqual(await titles({ sortBy: "title", sort: "asc" }), [
        "a wood of trees",
        "nothing",
        "the tree of life",
      ]);
      const [issue] = await issues.collect(database, { where: { title: "nothing" } });
      await issues.update(database, issue!, { title: "wood" });
      assert.equal((await titles({ text: "wood" })).length, 3);
      await assert.rejects(people.search(database, { text: "x" }), { code: "E_SEARCH" });
    });

    test("refuses unknown names and values of other types before it sends a statement", async () => {
      const issue = await insertIssue();
      const counter = counting(database);
      const any = issues as unknown as Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;
      const value = { title: "t", state: "open", project_id: project.id, number: 1 };
      const cases: readonly (readonly [code: string, operation: string, ...args: readonly unknown[]])[] = [
        ["E_TABLE_COLUMN", "insert", { ...value, labels: [] }],
        ["E_TABLE_COLUMN", "insert", { ...value, 'a" = 1; --': 1 }],
        ["E_TABLE_VALUE", "insert", { ...value, title: undefined }],
        ["E_TABLE_VALUE", "insert", { ...value, title: { toString: 1 } }],
        ["E_TABLE_VALUE", "insert", { ...value, state: "unknown" }],
        ["E_TABLE_VALUE", "insert", { ...value, project_id: "x" }],
        ["E_TABLE_VALUE", "insertAll", [value, { ...value, number: "1" }]],
        ["E_TABLE", "insert", null],
        ["E_TABLE", "insert"],
        ["E_TABLE", "insert", "title"],
        ["E_TABLE", "insert", [value]],
        ["E_TABLE_COLUMN", "insert", { ...value, deleted_at: new Date() }],
        ["E_TABLE", "insertAll", {}],
        ["E_TABLE", "insertAll", null],
        ["E_TABLE", "insertAll", [value, null]],
        ["E_TABLE_COLUMN", "insertAll", [{ ...value, deleted_at: new Date() }]],
        ["E_TABLE", "update", issue, null],
        ["E_TABLE", "update", issue],
        ["E_TABLE", "update", issue, ["title"]],
        ["E_TABLE", "upsert", value],
        ["E_TABLE", "upsert", value, { on: "number" }],
        ["E_TABLE", "upsert", value, { on: ["project_id", "number"], update: "title" }],
        ["E_TABLE", "upsert", null, { on: ["project_id", "number"] }],
        ["E_TABLE_COLUMN", "update", issue, { id: Random.uuid() }],
        ["E_TABLE_COLUMN", "update", issue, { version: 9 }],
        ["E_TABLE_COLUMN", "update", issue, { created_at: new Date() }],
        ["E_TABLE_COLUMN", "update", issue, { labels: [] }],
        ["E_TABLE_VALUE", "update", issue, { title: null }],
        ["E_TABLE_VALUE", "update", { id: issue.id }, { title: "x" }],
        ["E_TABLE_VALUE", "update", undefined, { title: "x" }],
        ["E_TABLE_COLUMN", "findOpt", { 'title" = "title': "x" }],
        ["E_TABLE_COLUMN", "findOpt", { constructor: "x" }],
        ["E_TABLE_VALUE", "findOpt", { title: undefined }],
        ["E_TABLE_VALUE", "findOpt", { title: 0 }],
        ["E_TABLE_VALUE", "findOpt", { title: { $ne: "" } }],
        ["E_TABLE_VALUE", "findOpt", { title: ["a", null] }],
        ["E_TABLE_VALUE", "findOpt", { id: [null] }],
        ["E_TABLE_VALUE", "findOpt", { number: "1 or 1=1" }],
        ["E_TABLE", "findOpt", undefined],
        ["E_TABLE", "findOpt", ["a"]],
        ["E_TABLE_RELATION", "findOpt", issue.id, { with: ["nothing"] }],
        ["E_TABLE_RELATION", "findOpt", issue.id, { with: "labels" }],
        ["E_TABLE_RELATION", "findOpt", issue.id, { with: [{ project: ["nothing"] }] }],
        ["E_TABLE_RELATION", "findOpt", issue.id, { with: [{ project: "owner" }] }],
        ["E_TABLE_RELATION", "findOpt", issue.id, { with: ["constructor"] }],
        ["E_TABLE_RELATION", "findOpt", issue.id, { with: [7] }],
        ["E_TABLE_RELATION", "findOpt", issue.id, { counts: ["project"] }],
        ["E_TABLE_COLUMN", "collect", { orderBy: "title; drop table issues" }],
        ["E_TABLE", "collect", { orderBy: { title: "asc; drop table issues" } }],
        ["E_TABLE", "collect", { limit: -1 }],
        ["E_TABLE", "collect", { offset: 1.5 }],
        ["E_TABLE_COLUMN", "count", { nothing: 1 }],
        ["E_TABLE_RELATION", "search", {}, { with: ["nothing"] }],
        ["E_TABLE", "upsert", value, { on: [] }],
        ["E_TABLE_COLUMN", "upsert", value, { on: ["nothing"] }],
        ["E_TABLE_COLUMN", "upsert", value, { on: ["project_id", "number"], update: ["nothing"] }],
      ];
      for (const [code, operation, ...args] of cases) {
        await assert.rejects(
          async () => any[operation]?.(counter, ...args),
          (error) => isError(error, code),
          `${operation} ${JSON.stringify(args)}`,
        );
      }
      assert.equal(counter.count(), 0);
      for (const title of ["\0", "\ud800"]) {
        await assert.rejects(issues.insertAll(database, [{ ...value, title } as never]), { code: "E_SQL_TEXT" });
        await assert.rejects(issues.findOpt(database, { title }), { code: "E_SQL_TEXT" });
      }
      assert.equal(await issues.count(database), 1);
    });

    test("stores and finds two thousand hostile texts", async () => {
      const texts = sample([...new Set(payloads(2000))].filter((text) => Array.from(text).length <= 200));
      const inserted = await issues.insertAll(
        database,
        texts.map((title, index) => ({ title, state: "open" as const, project_id: project.id, number: index })),
      );
      assert.deepEqual(
        (await issues.collect(database, { orderBy: "number" })).map(({ title }) => title),
        texts,
      );
      for (const [index, text] of texts.entries()) {
        const found = await issues.collect(database, { where: { title: text } });
        assert.deepEqual(found, [inserted[index]], text);
      }
    });

    test("joins the transaction around it, and runs on a handle", async () => {
      await assert.rejects(
        database.transaction(async (transaction) => {
          await insertIssue();
          const issue = await issues.find(transaction, { project_id: project.id });
          await issues.update(transaction, issue, { title: "inside" });
          await issues.insertAll(transaction, [{ title: "u", state: "open", project_id: project.id, number: 99 }]);
          const loaded = await issues.collect(transaction, { with: ["project", "labels"], counts: ["comments"] });
          assert.deepEqual(loaded.map(({ title }) => title).toSorted(), ["inside", "u"]);
          throw new Error("roll back");
        }),
        { message: "roll back" },
      );
      assert.equal(await issues.count(database), 0);
    });
  });
}

const rawStatement = (text: string): Statement<unknown> => sql(Object.assign([text], { raw: [text] }));

tableCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => tableCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => tableCases("MariaDB", mariadb({ url })));
