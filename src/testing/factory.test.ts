import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { type Database, Migration, Row } from "../entry-points/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { Table } from "../entry-points/table.ts";
import { Schema } from "../schema/index.ts";
import { assertNoRow, assertRow, assertRowCount, configuration, Factory, rolledBack } from "./index.ts";

const projects = Table.make("projects", { schema: Schema.record({ name: Schema.string({ max: 100 }) }) });
const labels = Table.make("labels", { schema: Schema.record({ name: Schema.string({ max: 100 }) }) });
const issues = Table.make("issues", {
  schema: Schema.record({
    title: Schema.string({ max: 100 }),
    state: Schema.oneOf(["open", "closed"]),
    points: Schema.optional(Schema.int()),
  }),
  columns: { project_id: Row.uuid },
  relations: {
    project: () => Table.belongsTo(projects),
    labels: () => Table.manyToMany(labels, { through: "issue_labels" }),
    comments: () => Table.hasMany(comments),
  },
});
const comments = Table.make("comments", {
  schema: Schema.record({ text: Schema.text() }),
  columns: { issue_id: Row.uuid },
  relations: { issue: () => Table.belongsTo(issues) },
});

const makeFactories = () => {
  const projectFactory = Factory.make(projects, ({ number }) => ({ name: `Project ${number}` }));
  const labelFactory = Factory.make(labels, ({ number }) => ({ name: `Label ${number}` }));
  const commentFactory = Factory.make(comments, ({ random }) => ({
    text: random.words(3),
    issue_id: Factory.related(issueFactory),
  }));
  const issueFactory = Factory.make(
    issues,
    ({ number }) => ({ title: `Issue ${number}`, state: "open" as const, project_id: Factory.related(projectFactory) }),
    {
      states: {
        closed: { state: "closed" },
        estimated: ({ random }) => ({ points: random.int(1, 8) }),
      },
    },
  );
  return { projectFactory, labelFactory, commentFactory, issueFactory };
};

function factoryCases(name: string, database: Database): void {
  describe(name, () => {
    before(async () => {
      using _ = configuration({ FRAMEWORK_ENV: "test" });
      await database.start({ services: [database] });
      const create = (): readonly string[] =>
        Table.createStatements([projects, labels, issues, comments], database.dialect());
      const step = Migration.step("create", { sqlite: create, postgresql: create, mariadb: create });
      await Migration.service({ database, migrations: [Migration.make("factory", [step])] }).runAll();
    });
    after(() => database.stop());
    const isolated = (title: string, body: (factories: ReturnType<typeof makeFactories>) => Promise<void>): void => {
      void test(title, () => rolledBack(database, () => body(makeFactories())));
    };

    isolated("inserts rows with numbered values and the related row", async ({ issueFactory }) => {
      const first = await issueFactory.insert(database);
      const second = await issueFactory.insert(database, { title: "Broken" });
      assert.deepEqual([first.title, first.state, second.title], ["Issue 1", "open", "Broken"]);
      assert.notEqual(first.project_id, second.project_id);
      await assertRow(database, projects, { id: first.project_id, name: "Project 1" });
      await assertRowCount(database, projects, 2);
    });
    isolated("a value instead of a related row inserts none", async ({ issueFactory, projectFactory }) => {
      const project = await projectFactory.insert(database);
      const all = await issueFactory.insertAll(database, 3, { project_id: project.id });
      assert.deepEqual(
        all.map(({ title }) => title),
        ["Issue 1", "Issue 2", "Issue 3"],
      );
      await assertRowCount(database, projects, 1);
      await assertRowCount(database, issues, 3, { project_id: project.id });
    });
    isolated(
      "states replace values, the last one wins, and values of the call win over states",
      async ({ issueFactory }) => {
        const closed = issueFactory.state("closed", "estimated");
        const issue = await closed.insert(database);
        assert.equal(issue.state, "closed");
        assert.ok((issue.points ?? 0) >= 1 && (issue.points ?? 9) <= 8);
        assert.equal((await closed.insert(database, { state: "open" })).state, "open");
        assert.equal((await issueFactory.insert(database)).title, "Issue 3");
        await assertNoRow(database, issues, { title: "Issue 4" });
      },
    );
    isolated(
      "inserts rows that belong to a row, and runs afterInsert",
      async ({ issueFactory, commentFactory, labelFactory }) => {
        const issue = await issueFactory.with(3, commentFactory, ({ id }) => ({ issue_id: id })).insert(database);
        await assertRowCount(database, comments, 3, { issue_id: issue.id });
        const labelled = Factory.make(
          issues,
          () => ({ title: "Labelled", state: "open" as const, project_id: issue.project_id }),
          {
            afterInsert: async (target, row) => {
              const added = await labelFactory.insertAll(target, 2);
              await issues.links.labels.set(
                target,
                row,
                added.map(({ id }) => id),
              );
            },
          },
        );
        const { id } = await labelled.insert(database);
        assert.equal((await issues.find(database, id, { with: ["labels"] })).labels.length, 2);
      },
    );
    isolated("inserts on a handle", async ({ issueFactory }) => {
      await database.transaction((handle) => issueFactory.insert(handle));
      await assertRowCount(database, issues, 1);
    });
  });
}

factoryCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => factoryCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => factoryCases("MariaDB", mariadb({ url })));

test("builds values without a database, and the same ones in each run", () => {
  const build = (): unknown[] => {
    const { issueFactory, commentFactory } = makeFactories();
    const estimated = issueFactory.state("estimated");
    return [estimated.build(), estimated.build({ title: "Own" }), commentFactory.build()];
  };
  const [first, second, comment] = build() as [
    Record<string, unknown>,
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  assert.deepEqual(build(), [first, second, comment]);
  assert.deepEqual([first["title"], second["title"], "project_id" in first], ["Issue 1", "Own", false]);
  assert.match(String(comment["text"]), /^[a-z]+ [a-z]+ [a-z]+$/);
});
test("numbers start again after a reset, and a state shares them", () => {
  const { issueFactory } = makeFactories();
  issueFactory.state("closed").build();
  assert.equal(issueFactory.build().title, "Issue 2");
  issueFactory.reset();
  assert.equal(issueFactory.build().title, "Issue 1");
});
test("random values are within their limits, differ between rows, and repeat", () => {
  const factory = Factory.make(
    { name: "values", insert: async (_: unknown, value: Readonly<Record<string, unknown>>) => value },
    ({ random }) => ({
      int: random.int(-3, 3),
      bool: random.bool(),
      pick: random.pick(["a", "b", "c"]),
      uuid: random.uuid(),
      date: random.date(new Date(1000), new Date(2000)),
    }),
  );
  const values = Array.from({ length: 200 }, () => factory.build());
  assert.deepEqual(
    [...new Set(values.map(({ int }) => int as number))].toSorted((left, right) => left - right),
    [-3, -2, -1, 0, 1, 2, 3],
  );
  assert.deepEqual(new Set(values.map(({ bool }) => bool)).size, 2);
  assert.deepEqual([...new Set(values.map(({ pick }) => pick as string))].toSorted(), ["a", "b", "c"]);
  assert.equal(new Set(values.map(({ uuid }) => uuid)).size, 200);
  for (const { uuid, date } of values) {
    assert.match(String(uuid), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok((date as Date).getTime() >= 1000 && (date as Date).getTime() <= 2000);
  }
});
test("an unknown state is named", () => {
  const { issueFactory } = makeFactories();
  // @ts-expect-error: the type has the names of the states.
  assert.throws(() => issueFactory.state("gone"), /has no state "gone". States: closed, estimated/);
});
test("values are typed as those of the table", () => {
  const { issueFactory } = makeFactories();
  // @ts-expect-error: not one of the states of an issue.
  issueFactory.build({ state: "gone" });
  // @ts-expect-error: no such column.
  issueFactory.build({ titel: "x" });
  // @ts-expect-error: the title is missing.
  Factory.make(issues, () => ({ state: "open" as const, project_id: "x" }));
});
