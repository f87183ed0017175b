// Concurrent changes of one item by HTTP requests, with a table and with idempotency keys, on every database.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Configuration, Migration, ok, Schema, Web } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import * as Idempotency from "limmat/idempotency";
import { Table } from "limmat/table";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const schema = Schema.record({ title: Schema.string({ min: 1 }), state: Schema.oneOf(["open", "closed"]) });
const issues = Table.make("versioned_issues", { schema, version: true });
type Issue = Table.Infer<typeof issues>;

function concurrentChanges(name: string, database: Database): void {
  const idempotency = Idempotency.sql({ database });
  const service = {
    find: (id: string) => issues.findOpt(database, id),
    insert: async (value: Schema.Infer<typeof schema>) => ok(await issues.insert(database, value)),
    update: async (id: string, value: Schema.Infer<typeof schema>, options?: Web.Rest.ServiceOptions) =>
      ok(await issues.update(database, { id, version: options?.version ?? 0 }, value)),
    delete: async (issue: Issue) => ok(await issues.delete(database, issue)),
  };
  const routes = Web.Rest.jsonOfService({
    name: "issues",
    only: ["create", "show", "update", "destroy"],
    schema,
    service,
    versions: true,
  });
  const router = Web.choose(routes, {
    middlewares: [...Web.Middleware.api(), Idempotency.Web.middleware(idempotency, { user: () => "ada" })],
  });
  const { fetch } = Web.Http.service({ router });
  const send = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<readonly [status: number, body: Partial<Issue>, headers: Headers]> => {
    const response = await fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return [response.status, text === "" ? {} : (JSON.parse(text) as Partial<Issue>), response.headers];
  };
  const count = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from versioned_issues`);
  const tally = (statuses: readonly number[]): Record<number, number> =>
    Object.fromEntries(
      Map.groupBy(statuses, (status) => status)
        .entries()
        .map(([status, { length }]) => [status, length]),
    );

  describe(name, () => {
    let issue: Issue;
    let path: string;
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [] });
      const statements = Table.createStatements(issues, database.dialect());
      const table = Migration.make("issues", [Migration.step("create table", () => statements)]);
      await Migration.service({ database, migrations: [...idempotency.migrations, table] }).runAll();
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(async () => {
      await database.exec(sql`delete from versioned_issues`);
      await database.exec(sql`delete from idempotency_keys`);
      issue = await issues.insert(database, { title: "Bug", state: "open" });
      path = `/issues/${issue.id}`;
    });

    test("of 20 changes of one version, one is carried out", async () => {
      const [, , headers] = await send("GET", path);
      const tag = headers.get("etag") ?? "";
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          send("PATCH", path, { "if-match": tag }, { title: `Change ${index}` }),
        ),
      );
      assert.deepEqual(tally(answers.map(([status]) => status)), { 200: 1, 412: 19 });
      const winner = answers.find(([status]) => status === 200)?.[1];
      assert.deepEqual([winner?.version, (await send("GET", path))[1].title], [2, winner?.title]);
    });

    test("a change without a field leaves the row as it is, and one with a misspelt field is refused", async () => {
      const stored = await issues.find(database, issue.id);
      for (const body of [{ version: 1 }, { id: issue.id, version: 1 }]) {
        const [status, unchanged] = await send("PATCH", path, {}, body);
        assert.deepEqual([status, unchanged.version, unchanged.title], [200, 1, "Bug"]);
      }
      const [status, problem] = await send("PATCH", path, {}, { titel: "Changed", version: 1 });
      const { errors } = problem as { readonly errors?: unknown };
      assert.deepEqual([status, errors], [422, { titel: 'Unknown property. Did you mean "title"?' }]);
      assert.deepEqual(await issues.find(database, issue.id), stored);
    });

    test("a change and a deletion of one version exclude each other", async () => {
      const answers = await Promise.all([
        send("PATCH", path, {}, { title: "Changed", version: 1 }),
        send("DELETE", path, { "if-match": '"1"' }),
      ]);
      const [changed, deleted] = answers.map(([status]) => status);
      const expected = changed === 200 ? [[412], 1] : [[204], 0];
      assert.deepEqual([[deleted], await count()], expected, `${changed} ${deleted}`);
      assert.ok(changed === 200 || changed === 409 || changed === 404, String(changed));
    });

    test("of 10 repetitions of a creation, one is carried out", async () => {
      const key = { "idempotency-key": '"create"' };
      const body = { title: "New", state: "open" };
      const answers = await Promise.all(Array.from({ length: 10 }, () => send("POST", "/issues", key, body)));
      assert.ok(answers.every(([status]) => status === 201 || status === 409));
      assert.equal(await count(), 2);
      const [status, created, headers] = await send("POST", "/issues", key, body);
      assert.deepEqual([status, headers.get("idempotency-replayed")], [201, "true"]);
      assert.equal(headers.get("location"), `/issues/${created.id}`);
    });

    test("a repetition of a change gets the response of the change, not that the version is stale", async () => {
      const headers = { "idempotency-key": '"change"', "if-match": '"1"' };
      const [first, second] = [
        await send("PATCH", path, headers, { title: "Changed" }),
        await send("PATCH", path, headers, { title: "Changed" }),
      ];
      assert.deepEqual(
        [first[0], second[0], second[1].version, second[2].get("etag")],
        [200, 200, 2, first[2].get("etag")],
      );
      // A change that was refused is not stored: with the right version, it is carried out.
      const refused = { "idempotency-key": '"other"', "if-match": '"1"' };
      assert.equal((await send("PATCH", path, refused, { title: "Again" }))[0], 412);
      assert.equal((await send("PATCH", path, { ...refused, "if-match": '"2"' }, { title: "Again" }))[0], 200);
    });
  });
}

concurrentChanges("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => concurrentChanges("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => concurrentChanges("MariaDB", mariadb({ url })));
