// Two thousand texts that would do harm in a statement, sent to a resource by each way that a text has to the database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, Configuration, Migration, ok, Random, Schema, Web } from "limmat";
import { type Database, prepareSearchRequest, Row, runCursorSearch, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { payloads } from "../../src/testing/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

/** Texts of people: no field of a form takes one of spaces alone. */
const hostile: readonly string[] = [...new Set([...payloads(3000)].map((text) => text.trim()))].slice(0, 2000);
const atOnce = 20;

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

const page = () => html``;
const view = { index: page, new: page, show: page, edit: page };

/** What contains means: as it is, but for the case of A to Z. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const folded = hostile.map(fold);

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
      const words = await database.collect(sql.value(Row.text)`select secret from c_guard`);
      await app.stop();
      Configuration.reset();
      assert.deepEqual(words, ["still here"]);
    });

    const ask = async (path: string, init: RequestInit = {}): Promise<[status: number, body: string]> => {
      const headers = new Headers(init.headers);
      headers.set("accept", "application/json");
      const response = await app.request(path, { ...init, headers });
      return [response.status, await response.text()];
    };
    const send = async (method: "POST" | "PUT", path: string, title: string): Promise<number> => {
      const body = new URLSearchParams(method === "POST" ? { title } : { title, _method: "put" });
      return (await app.request(path, { method: "POST", body, headers: { accept: "text/html" } })).status;
    };
    const each = async (work: (text: string, index: number) => Promise<void>): Promise<void> => {
      for (let start = 0; start < hostile.length; start += atOnce) {
        await Promise.all(hostile.slice(start, start + atOnce).map((text, index) => work(text, start + index)));
      }
    };
    const titles = (): Promise<readonly string[]> =>
      database.collect(sql.value(Row.text)`select title from notes order by id`);

    test("as the value of a form it is stored as it was typed, and in another form takes its place", async () => {
      assert.equal(hostile.length, 2000);
      await each(async (text) => assert.equal(await send("POST", "/notes", text), 303, text));
      assert.deepEqual((await titles()).toSorted(), hostile.toSorted());
      const one = { id: Random.uuid(), title: "one" };
      await database.exec(sql`insert into notes (${columns}) values (${one.id}, ${one.title})`);
      for (const text of hostile.slice(-200)) {
        assert.equal(await send("PUT", `/notes/${one.id}`, text), 303, text);
        assert.equal((JSON.parse((await ask(`/notes/${one.id}`))[1]) as Note).title, text);
      }
      await database.exec(sql`delete from notes where id = ${one.id}`);
    });

    test("as a filter it finds the rows that contain it", async () => {
      await each(async (text) => {
        const [status, body] = await ask(`/notes?limit=1&filter=${encodeURIComponent(text)}`);
        assert.equal(status, 200, text);
        const wanted = fold(text);
        const expected = folded.filter((title) => title.includes(wanted)).length;
        assert.equal((JSON.parse(body) as { total: number }).total, expected, text);
      });
    });

    for (const key of ["sort", "limit", "offset", "after", "before"]) {
      test(`as ${key} it is refused`, async () => {
        await each(async (text) => {
          const [status, body] = await ask(`/notes?${key}=${encodeURIComponent(text)}`);
          assert.deepEqual([status, (JSON.parse(body) as { status: number }).status], [400, 400], text);
        });
      });
    }

    test("inside of a cursor that nobody signed it is refused", async () => {
      const [, body] = await ask("/notes?limit=1");
      const [, signature] = (JSON.parse(body) as { next: string }).next.split(".");
      await each(async (text) => {
        for (const place of [[text, "x"], ["x", text], text]) {
          const payload = Buffer.from(JSON.stringify(place)).toString("base64url");
          assert.equal((await ask(`/notes?after=${payload}.${signature}`))[0], 400, text);
        }
      });
    });

    test("inside of a cursor that was signed it is a value like others, both ways", async () => {
      for (const [from, way, key] of [
        ["/notes?sort=asc&limit=10", "next", "after"],
        ["/notes?sort=asc&limit=10&offset=1990", "previous", "before"],
      ] as const) {
        const seen: string[] = [];
        for (let path = from as string; ;) {
          const [status, body] = await ask(path);
          assert.equal(status, 200, body);
          const list = JSON.parse(body) as { data: Note[]; next: string | null; previous: string | null };
          seen.push(...list.data.map(({ title }) => title));
          const cursor = list[way];
          if (cursor === null) break;
          path = `/notes?sort=asc&limit=10&${key}=${cursor}`;
        }
        assert.deepEqual(seen.toSorted(), hostile.toSorted());
      }
    });

    test("as an id it finds nothing, and finds the row whose id it is", async () => {
      const inPath = (text: string): string => `/notes/${encodeURIComponent(text)}`;
      await each(async (text) => {
        const status = (await ask(inPath(text)))[0];
        assert.ok(status === 404 || status === 400, `${status}: ${text}`);
      });
      for (const method of ["PUT", "DELETE"]) {
        await each(async (text) => {
          const init = { method, headers: { "content-type": "application/json" } };
          const status = (await ask(inPath(text), method === "PUT" ? { ...init, body: '{"title":"x"}' } : init))[0];
          assert.ok(status === 404 || status === 400, `${status}: ${text}`);
        });
      }
      const known = hostile.slice(0, 200).filter((text) => !/[/\\]/.test(text));
      for (const text of known) {
        await database.exec(sql`insert into notes (${columns}) values (${text}, ${"known"})`);
        const [status, body] = await ask(inPath(text));
        assert.deepEqual([status, (JSON.parse(body) as Note).id], [200, text]);
      }
      assert.equal((await titles()).length, hostile.length + known.length);
    });
  });
}

hostileCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => hostileCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => hostileCases("MariaDB", mariadb({ url })));
