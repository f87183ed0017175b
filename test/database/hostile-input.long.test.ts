// Sends two thousand SQL-injection payloads to a resource through every input that reaches the database, and identifiers
// that are none to handlers.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, Configuration, Migration, ok, Random, Schema, Web } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, prepareSearchRequest, Row, runCursorSearch, sql, type Statement } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { payloads } from "../../packages/limmat-contracts/src/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

/** Payloads without surrounding white space, because form fields are trimmed and refuse blank texts. */
const payloadTexts: readonly string[] = [...new Set([...payloads(3000)].map((text) => text.trim()))].slice(0, 2000);
const concurrency = 20;

const noteRow = Row.record({ id: Row.text, title: Row.text });
type Note = Row.Infer<typeof noteRow>;
const columns = sql.columns(noteRow);
const schema = Schema.record({ title: Schema.string() });
type Input = Schema.Infer<typeof schema>;

const migrations = [
  Migration.make("notes", [
    Migration.step("tables", ({ string }) => [
      `create table notes (id ${string(200)} primary key, title ${string(200)} not null)`,
      `create table c_guard (secret ${string(50)} not null)`,
      `insert into c_guard (secret) values ('still here')`,
    ]),
  ]),
];

function serviceOf(database: Database): Web.Rest.ResourceService<Note, Input> {
  const request = prepareSearchRequest({
    search: sql`select count(*) over () as total, ${columns} from notes`,
    row: noteRow,
    filter: ["title"],
    sort: "title",
  });
  const find = (id: string): Promise<Note | undefined> =>
    database.findOpt(sql.row(noteRow)`select ${columns} from notes where id = ${id}`);
  return {
    find,
    search: (query) => runCursorSearch(database, request, query),
    insert: async ({ title }) => {
      const note = { id: Random.uuid(), title };
      await database.exec(sql`insert into notes (${columns}) values (${note.id}, ${title})`);
      return ok(note);
    },
    update: async (id, { title }) => {
      await database.exec(sql`update notes set title = ${title} where id = ${id}`);
      return ok({ id, title });
    },
    delete: async ({ id }) => {
      await database.exec(sql`delete from notes where id = ${id}`);
      return ok();
    },
  };
}

const emptyPage = () => html``;
const view = { index: emptyPage, new: emptyPage, show: emptyPage, edit: emptyPage };

/** Lower-cases A to Z, as the comparison of `contains` does. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const foldedTexts = payloadTexts.map(fold);

function hostileCases(name: string, database: Database): void {
  describe(name, () => {
    const migration = Migration.service({ database, migrations, onPending: "run" });
    const resource = {
      name: "notes",
      schema,
      view,
      service: serviceOf(database),
      isId: (id: string) => id.length <= 200,
    };
    const router = Web.choose(Web.Rest.resourceOfService(resource), { middlewares: Web.Middleware.site() });
    const http = Web.Http.service({ router, dependencies: () => [migration] });
    const app = App.create({ services: [database, migration, http] });

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await app.start({ server: false });
    });
    after(async () => {
      const secrets = await database.collect(sql.value(Row.text)`select secret from c_guard`);
      await app.stop();
      ConfigurationInternals.reset();
      assert.deepEqual(secrets, ["still here"]);
    });

    const requestJson = async (path: string, init: RequestInit = {}): Promise<[status: number, body: string]> => {
      const headers = new Headers(init.headers);
      headers.set("accept", "application/json");
      const response = await app.request(path, { ...init, headers });
      return [response.status, await response.text()];
    };
    const sendForm = async (method: "POST" | "PUT", path: string, title: string): Promise<number> => {
      const body = new URLSearchParams(method === "POST" ? { title } : { title, _method: "put" });
      return (await app.request(path, { method: "POST", body, headers: { accept: "text/html" } })).status;
    };
    const forEachText = async (check: (text: string, index: number) => Promise<void>): Promise<void> => {
      for (let start = 0; start < payloadTexts.length; start += concurrency) {
        await Promise.all(
          payloadTexts.slice(start, start + concurrency).map((text, index) => check(text, start + index)),
        );
      }
    };
    const titles = (): Promise<readonly string[]> =>
      database.collect(sql.value(Row.text)`select title from notes order by id`);

    test("stores form values unchanged, on insert and on update", async () => {
      assert.equal(payloadTexts.length, 2000);
      await forEachText(async (text) => assert.equal(await sendForm("POST", "/notes", text), 303, text));
      assert.deepEqual((await titles()).toSorted(), payloadTexts.toSorted());
      const note = { id: Random.uuid(), title: "one" };
      await database.exec(sql`insert into notes (${columns}) values (${note.id}, ${note.title})`);
      for (const text of payloadTexts.slice(-200)) {
        assert.equal(await sendForm("PUT", `/notes/${note.id}`, text), 303, text);
        assert.equal((JSON.parse((await requestJson(`/notes/${note.id}`))[1]) as Note).title, text);
      }
      await database.exec(sql`delete from notes where id = ${note.id}`);
    });

    test("finds the rows that contain a filter text", async () => {
      await forEachText(async (text) => {
        const [status, body] = await requestJson(`/notes?limit=1&filter=${encodeURIComponent(text)}`);
        assert.equal(status, 200, text);
        const foldedText = fold(text);
        const expected = foldedTexts.filter((title) => title.includes(foldedText)).length;
        assert.equal((JSON.parse(body) as { total: number }).total, expected, text);
      });
    });

    for (const key of ["sort", "limit", "offset", "after", "before"]) {
      test(`refuses the texts as ${key}`, async () => {
        await forEachText(async (text) => {
          const [status, body] = await requestJson(`/notes?${key}=${encodeURIComponent(text)}`);
          assert.deepEqual([status, (JSON.parse(body) as { status: number }).status], [400, 400], text);
        });
      });
    }

    test("refuses the texts in a cursor without a valid signature", async () => {
      const [, body] = await requestJson("/notes?limit=1");
      const [, signature] = (JSON.parse(body) as { next: string }).next.split(".");
      await forEachText(async (text) => {
        for (const position of [[text, "x"], ["x", text], text]) {
          const payload = Buffer.from(JSON.stringify(position)).toString("base64url");
          assert.equal((await requestJson(`/notes?after=${payload}.${signature}`))[0], 400, text);
        }
      });
    });

    test("pages through the texts with signed cursors in both directions", async () => {
      for (const [firstPath, direction, key] of [
        ["/notes?sort=asc&limit=10", "next", "after"],
        ["/notes?sort=asc&limit=10&offset=1990", "previous", "before"],
      ] as const) {
        const seen: string[] = [];
        for (let path = firstPath as string; ;) {
          const [status, body] = await requestJson(path);
          assert.equal(status, 200, body);
          const list = JSON.parse(body) as { data: Note[]; next: string | null; previous: string | null };
          seen.push(...list.data.map(({ title }) => title));
          const cursor = list[direction];
          if (cursor === null) break;
          path = `/notes?sort=asc&limit=10&${key}=${cursor}`;
        }
        assert.deepEqual(seen.toSorted(), payloadTexts.toSorted());
      }
    });

    test("finds no row for an unknown id, and the right row for an id that is such a text", async () => {
      const inPath = (text: string): string => `/notes/${encodeURIComponent(text)}`;
      await forEachText(async (text) => {
        const status = (await requestJson(inPath(text)))[0];
        assert.ok(status === 404 || status === 400, `${status}: ${text}`);
      });
      for (const method of ["PUT", "DELETE"]) {
        await forEachText(async (text) => {
          const init = { method, headers: { "content-type": "application/json" } };
          const status = (
            await requestJson(inPath(text), method === "PUT" ? { ...init, body: '{"title":"x"}' } : init)
          )[0];
          assert.ok(status === 404 || status === 400, `${status}: ${text}`);
        });
      }
      const ids = payloadTexts.slice(0, 200).filter((text) => !/[/\\]/.test(text));
      for (const text of ids) {
        await database.exec(sql`insert into notes (${columns}) values (${text}, ${"known"})`);
        const [status, body] = await requestJson(inPath(text));
        assert.deepEqual([status, (JSON.parse(body) as Note).id], [200, text]);
      }
      assert.equal((await titles()).length, payloadTexts.length + ids.length);
    });
  });
}

const projects = [
  Migration.make("projects", [
    Migration.step(
      "create table projects",
      ({ uuid, int }) => `create table projects (id ${uuid} primary key, number ${int} not null)`,
    ),
  ]),
];
const projectId = "5eaecd00-0000-4000-8000-00000000000f";

function identifierCases(name: string, database: Database): void {
  describe(`identifiers that are none, on ${name}`, () => {
    const migration = Migration.service({ database, migrations: projects, onPending: "run" });
    const answerWith =
      (condition: (text: string) => Statement<unknown>) =>
      async ({ params: { id } }: Web.Request<{ readonly id: string }>): Promise<Web.Response> => {
        const number = await database.findOpt(sql.value(Row.int)`select number from projects where ${condition(id)}`);
        return number === undefined ? Web.Response.text("", { status: 404 }) : Web.Response.json(number);
      };
    const byId = answerWith((id) => sql`id = ${id}`);
    const router = Web.choose([
      Web.get("/typed/:id<uuid>", byId),
      Web.get(
        "/numbers/:id<int>",
        answerWith((id) => sql`number = ${id}`),
      ),
      Web.get("/untyped/:id", byId),
    ]);
    const app = App.create({ services: [database, migration, Web.Http.service({ router })] });

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await app.start({ server: false });
      await database.exec(sql`insert into projects (id, number) values (${projectId}, ${7})`);
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
    });

    for (const path of [
      `/typed/${projectId}`,
      `/typed/${projectId.toUpperCase()}`,
      "/numbers/7",
      `/untyped/${projectId}`,
    ]) {
      test(`${path} is found`, async () => assert.equal((await app.request(path)).status, 200));
    }
    for (const path of ["/typed/not-a-uuid", "/untyped/not-a-uuid", "/numbers/7abc", "/numbers/none", "/numbers/7.0"]) {
      test(`${path} is 404`, async () => assert.equal((await app.request(path)).status, 404));
    }
  });
}

for (const cases of [hostileCases, identifierCases]) {
  cases("SQLite", sqlite({ url: ":memory:" }));
  await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", postgresql({ url })));
  await withServer(mariadbServer, ({ url }) => cases("MariaDB", mariadb({ url })));
}
