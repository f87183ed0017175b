// Pages through lists by cursor with HTTP requests, on every database.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Configuration, Migration, ok, Random, Schema, Web } from "limmat";
import { RandomInternals } from "../../src/random/index.ts";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, prepareSearchRequest, Row, runCursorSearch, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { configuration } from "limmat/testing";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { rounds } from "../rounds.ts";

const sortColumns = ["added_at", "title", "price", "due", "id"] as const;
const noteRow = Row.record({
  id: Row.uuid,
  title: Row.text,
  price: Row.decimal,
  due: Row.nullable(Row.timestamp),
  added_at: Row.timestamp,
});
type Note = Row.Infer<typeof noteRow>;
const columns = sql.columns(noteRow);
const schema = Schema.record({ title: Schema.string() });

const migrations = [
  Migration.make("notes", [
    Migration.step(
      "create table notes",
      ({ uuid, string, decimal, timestamp }) => `create table notes (
        id ${uuid} primary key, title ${string(100)} not null, price ${decimal(12, 2)} not null,
        due ${timestamp}, added_at ${timestamp} not null
      )`,
    ),
  ]),
];

/** Returns an HTML and a JSON resource per sort column. */
function routersOf(database: Database): readonly Web.Router[] {
  const search = sql`select count(*) over () as total, ${columns} from notes`;
  const request = prepareSearchRequest({ search, row: noteRow, filter: ["title"], sort: sortColumns });
  return sortColumns.flatMap((sortBy) => {
    const service = {
      find: () => undefined,
      search: (query: Web.CompleteQuery) => runCursorSearch(database, request, { ...query, sortBy }),
      delete: () => ok(),
    };
    const view: Pick<Web.Rest.ResourceView<Note>, "index"> = {
      index: (_request, _csrf, [notes, total], query, cursors) => {
        const link = (name: string, target: Web.Query | undefined) =>
          target && html`<a rel="${name}" href="/${sortBy}${Web.Query.toQueryString(target)}"></a>`;
        return html`${notes.map(({ id }) => html`<li>${id}</li>`)}${cursors?.offset}/${total}
        ${link("next", Web.Query.nextPage(query, total, cursors))}${link("prev", Web.Query.previousPage(query, cursors))}`;
      },
    };
    const only = ["index"] as const;
    return [
      Web.choose(Web.Rest.resourceOfService({ name: sortBy, schema, service, view, only }), {
        middlewares: Web.Middleware.site(),
      }),
      Web.choose(Web.Rest.jsonOfService({ name: sortBy, schema, service, only }), {
        scope: "/api",
        middlewares: Web.Middleware.api(),
      }),
    ];
  });
}

interface ListBody {
  readonly data: readonly Note[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly next: string | null;
  readonly previous: string | null;
}

function pagingCases(name: string, make: () => Database): void {
  describe(name, () => {
    const database = make();
    const migration = Migration.service({ database, migrations, onPending: "run" });
    const http = Web.Http.service({ router: Web.choose(routersOf(database)), dependencies: () => [migration] });
    const app = App.create({ services: [database, migration, http] });

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(() => database.exec(sql`delete from notes`));

    const requestPath = async (path: string, accept = "application/json"): Promise<[number, string]> => {
      const response = await app.request(path, { headers: { accept } });
      return [response.status, await response.text()];
    };
    const getList = async (path: string): Promise<ListBody> => {
      const [status, body] = await requestPath(path);
      assert.equal(status, 200, body);
      return JSON.parse(body) as ListBody;
    };
    const insert = async (count: number, titleOf: (index: number) => string): Promise<readonly string[]> => {
      const notes = Array.from({ length: count }, (_, index) => {
        const due = index % 3 === 0 ? null : new Date(Date.UTC(2026, 0, 1 + (index % 5)));
        const added = new Date(Date.UTC(2026, 0, 1) + (index % 7));
        return { id: Random.uuid(), title: titleOf(index), price: `${index % 9}.50`, due, added };
      });
      for (let start = 0; start < count; start += 1000) {
        const rows = notes
          .slice(start, start + 1000)
          .map(({ id, title, price, due, added }) => sql`(${id}, ${title}, ${price}, ${due}, ${added})`);
        await database.exec(sql`insert into notes (${columns}) values ${sql.join(rows)}`);
      }
      return notes.map(({ id }) => id);
    };
    /** Follows the cursors of a list in one direction and returns the ids of all pages, in list order. */
    const followCursors = async (
      path: string,
      direction: "next" | "previous",
      betweenPages: () => Promise<unknown> = async () => {},
    ): Promise<readonly string[]> => {
      const pages: string[][] = [];
      for (let page = await getList(path); ;) {
        const ids = page.data.map(({ id }) => id);
        if (direction === "next") pages.push(ids);
        else pages.unshift(ids);
        const cursor = page[direction];
        if (cursor === null) return pages.flat();
        await betweenPages();
        page = await getList(
          `${path.replace(/&offset=\d+/, "")}&${direction === "next" ? "after" : "before"}=${cursor}`,
        );
      }
    };

    for (const sortBy of sortColumns) {
      test(`shows each row once by ${sortBy} in both directions, while other rows are inserted and deleted`, async () => {
        const originalIds = await insert(90, (index) => `note ${index % 4}`);
        for (const sort of ["asc", "desc"]) {
          const path = `/${sortBy}?sort=${sort}&limit=7`;
          const all = (await getList(`/${sortBy}?sort=${sort}&limit=1000`)).data.map(({ id }) => id);
          let insertedIds: readonly string[] = [];
          const changeRows = async (): Promise<void> => {
            await database.exec(sql`delete from notes where ${sql.in(sql`id`, insertedIds)}`);
            insertedIds = await insert(10, (index) => `note ${index % 4}`);
          };
          const originalIdSet = new Set(originalIds);
          for (const [firstPath, direction] of [
            [path, "next"],
            [`${path}&offset=84`, "previous"],
          ] as const) {
            const seen = await followCursors(firstPath, direction, changeRows);
            assert.deepEqual(
              seen.filter((id) => originalIdSet.has(id)),
              all,
              `${sort} ${direction}`,
            );
            assert.equal(new Set(seen).size, seen.length);
            await database.exec(sql`delete from notes where ${sql.in(sql`id`, insertedIds)}`);
            insertedIds = [];
          }
        }
      });
    }

    test("continues after the rows of the previous page are deleted", async () => {
      await insert(60, () => "same");
      const all = (await getList("/title?sort=asc&limit=1000")).data.map(({ id }) => id);
      let page = await getList("/title?sort=asc&limit=10");
      const seen: string[] = [];
      for (;;) {
        const ids = page.data.map(({ id }) => id);
        seen.push(...ids);
        if (page.next === null) break;
        await database.exec(sql`delete from notes where ${sql.in(sql`id`, ids)}`);
        page = await getList(`/title?sort=asc&limit=10&after=${page.next}`);
      }
      assert.deepEqual(seen, all);
    });

    test("shows each of thousands of rows with equal sort values once, in both directions", async () => {
      const count = rounds(10_000);
      const limit = Math.ceil(count / 10);
      const ids = await insert(count, () => "same");
      const forward = await followCursors(`/title?sort=asc&limit=${limit}`, "next");
      const backward = await followCursors(`/title?sort=asc&limit=${limit}&offset=${count - limit}`, "previous");
      assert.equal(forward.length, count);
      assert.deepEqual(new Set(forward), new Set(ids));
      assert.deepEqual(backward, forward);
    });

    test("returns the same pages and errors from the JSON API", async () => {
      await insert(40, (index) => `note ${index % 3}`);
      const forward = await followCursors("/api/title?limit=6", "next");
      assert.deepEqual(forward, await followCursors("/title?limit=6", "next"));
      assert.deepEqual(await followCursors("/api/title?limit=6&offset=36", "previous"), forward);
      const { next } = await getList("/title?limit=6");
      assert.deepEqual((await getList(`/api/title?limit=6&after=${next}`)).data.length, 6);
      for (const query of [`sort=asc&after=${next}`, `after=${next}x`, "before=x", `after=${next}&offset=1`]) {
        assert.equal((await requestPath(`/api/title?${query}`))[0], 400, query);
      }
    });

    test("links HTML pages to the next and the previous page", async () => {
      await insert(25, (index) => `note ${index % 2}`);
      const openPage = async (
        path: string,
      ): Promise<{ ids: string[]; position: string; link: (rel: string) => string }> => {
        const [status, body] = await requestPath(path, "text/html");
        assert.equal(status, 200, body);
        const link = (rel: string): string =>
          (new RegExp(`rel="${rel}" href="([^"]*)"`).exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
        const ids = [...body.matchAll(/<li>([^<]*)<\/li>/g)].map(([, id]) => id ?? "");
        return { ids, position: /\d+\/\d+/.exec(body)?.[0] ?? "", link };
      };
      const all = (await getList("/title?filter=note%200&limit=100")).data.map(({ id }) => id);
      const first = await openPage("/title?filter=note%200&limit=5");
      const second = await openPage(first.link("next"));
      const third = await openPage(second.link("next"));
      assert.deepEqual([...first.ids, ...second.ids, ...third.ids], all);
      assert.deepEqual([first.position, second.position, third.position], ["0/13", "5/13", "10/13"]);
      assert.deepEqual([first.link("prev"), third.link("next")], ["", ""]);
      const back = await openPage(third.link("prev"));
      assert.deepEqual([back.ids, back.position], [second.ids, "5/13"]);
      assert.deepEqual((await openPage(back.link("prev"))).ids, first.ids);
    });

    test("accepts a cursor after the secret is rotated, until the old secret is removed", async () => {
      await insert(20, (index) => `note ${index}`);
      const [oldSecret, newSecret] = [RandomInternals.base64url(32), RandomInternals.base64url(32)];
      const path = async (): Promise<string> => `/title?limit=5&after=${(await getList("/title?limit=5")).next}`;
      using _ = configuration({ FRAMEWORK_SECRET: oldSecret });
      const old = await path();
      using __ = configuration({ FRAMEWORK_SECRET: newSecret, FRAMEWORK_SECRET_OLD: oldSecret });
      const rotated = await path();
      assert.deepEqual(await getList(old), await getList(rotated));
      using ___ = configuration({ FRAMEWORK_SECRET_OLD: "" });
      assert.deepEqual([(await requestPath(old))[0], (await requestPath(rotated))[0]], [400, 200]);
    });

    test("responds with 400 to a changed cursor, and to a cursor of another list, order or filter", async () => {
      await insert(20, (index) => `note ${index % 2}`);
      const { next } = await getList("/title?sort=asc&limit=5&filter=note");
      assert.ok(next !== null);
      assert.equal((await getList(`/title?sort=asc&limit=3&filter=note&after=${next}`)).offset, 5);
      const [payload = "", signature = ""] = next.split(".");
      const forged = Buffer.from(JSON.stringify(["", "' or 1=1"])).toString("base64url");
      const badPaths = [
        `/title?sort=desc&filter=note&after=${next}`,
        `/title?sort=asc&after=${next}`,
        `/title?sort=asc&filter=not&after=${next}`,
        `/price?sort=asc&filter=note&after=${next}`,
        `/title?sort=asc&filter=note&after=${next}&before=${next}`,
        `/title?sort=asc&filter=note&after=${next}&offset=5`,
        ...[
          `${forged}.${signature}`,
          payload,
          `${payload}.`,
          `.${signature}`,
          `${next}A`,
          `${next}.`,
          "x",
          "..",
          "%00",
        ].map((cursor) => `/title?sort=asc&filter=note&after=${cursor}`),
      ];
      for (const path of badPaths) {
        const [status, body] = await requestPath(path);
        const problem = JSON.parse(body) as { status: number; code: string; detail: string };
        assert.deepEqual([status, problem.status], [400, 400], path);
        assert.match(problem.code, /^E_(QUERY_INVALID|SEARCH)$/);
        assert.equal((await requestPath(path, "text/html"))[0], 400, path);
      }
    });
  });
}

pagingCases("SQLite", () => sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => pagingCases("PostgreSQL", () => postgresql({ url })));
await withServer(mariadbServer, ({ url }) => pagingCases("MariaDB", () => mariadb({ url })));
