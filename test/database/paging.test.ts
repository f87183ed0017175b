// Lists that are paged by cursor through the front door, on every database.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Configuration, Migration, ok, Random, Schema, Web } from "limmat";
import { type Database, prepareSearchRequest, Row, runCursorSearch, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { configuration } from "limmat/testing";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const sorts = ["added_at", "title", "price", "due", "id"] as const;
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

/** A resource with pages and JSON per sort column. */
function routersOf(database: Database): readonly Web.Router[] {
  const search = sql`select count(*) over () as total, ${columns} from notes`;
  const request = prepareSearchRequest({ search, row: noteRow, filter: ["title"], sort: sorts });
  return sorts.flatMap((sortBy) => {
    const service = {
      find: () => undefined,
      search: (query: Web.CompleteQuery) => runCursorSearch(database, request, { ...query, sortBy }),
      delete: () => ok(),
    };
    const view: Pick<Web.Rest.ResourceView<Note>, "index"> = {
      index: (_request, _csrf, [notes, total], query, cursors) => {
        const link = (name: string, to: Web.Query | undefined) =>
          to && html`<a rel="${name}" href="/${sortBy}${Web.Query.toQueryString(to)}"></a>`;
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

interface List {
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
      Configuration.reset();
    });
    beforeEach(() => database.exec(sql`delete from notes`));

    const ask = async (path: string, accept = "application/json"): Promise<[number, string]> => {
      const response = await app.request(path, { headers: { accept } });
      return [response.status, await response.text()];
    };
    const list = async (path: string): Promise<List> => {
      const [status, body] = await ask(path);
      assert.equal(status, 200, body);
      return JSON.parse(body) as List;
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
    /** The ids of all pages in one direction, from the first or, with `before`, from the last. */
    const walk = async (
      path: string,
      way: "next" | "previous",
      between: () => Promise<unknown> = async () => {},
    ): Promise<readonly string[]> => {
      const pages: string[][] = [];
      for (let page = await list(path); ;) {
        const ids = page.data.map(({ id }) => id);
        if (way === "next") pages.push(ids);
        else pages.unshift(ids);
        const cursor = page[way];
        if (cursor === null) return pages.flat();
        await between();
        page = await list(`${path.replace(/&offset=\d+/, "")}&${way === "next" ? "after" : "before"}=${cursor}`);
      }
    };

    for (const sortBy of sorts) {
      test(`a walk by ${sortBy} shows each row once while others come and go, both ways`, async () => {
        const old = await insert(90, (index) => `note ${index % 4}`);
        for (const sort of ["asc", "desc"]) {
          const path = `/${sortBy}?sort=${sort}&limit=7`;
          const all = (await list(`/${sortBy}?sort=${sort}&limit=1000`)).data.map(({ id }) => id);
          let coming: readonly string[] = [];
          const disturb = async (): Promise<void> => {
            await database.exec(sql`delete from notes where ${sql.in(sql`id`, coming)}`);
            coming = await insert(10, (index) => `note ${index % 4}`);
          };
          const known = new Set(old);
          for (const [from, way] of [
            [path, "next"],
            [`${path}&offset=84`, "previous"],
          ] as const) {
            const seen = await walk(from, way, disturb);
            assert.deepEqual(
              seen.filter((id) => known.has(id)),
              all,
              `${sort} ${way}`,
            );
            assert.equal(new Set(seen).size, seen.length);
            await database.exec(sql`delete from notes where ${sql.in(sql`id`, coming)}`);
            coming = [];
          }
        }
      });
    }

    test("a walk goes on when the rows at which its pages begin are deleted", async () => {
      await insert(60, () => "same");
      const all = (await list("/title?sort=asc&limit=1000")).data.map(({ id }) => id);
      let page = await list("/title?sort=asc&limit=10");
      const seen: string[] = [];
      for (;;) {
        const ids = page.data.map(({ id }) => id);
        seen.push(...ids);
        if (page.next === null) break;
        await database.exec(sql`delete from notes where ${sql.in(sql`id`, ids)}`);
        page = await list(`/title?sort=asc&limit=10&after=${page.next}`);
      }
      assert.deepEqual(seen, all);
    });

    test("a walk over ten thousand equal keys shows each row once, both ways", async () => {
      const ids = await insert(10_000, () => "same");
      const there = await walk("/title?sort=asc&limit=1000", "next");
      const back = await walk("/title?sort=asc&limit=1000&offset=9000", "previous");
      assert.equal(there.length, 10_000);
      assert.deepEqual(new Set(there), new Set(ids));
      assert.deepEqual(back, there);
    });

    test("a resource for programs gives the same pages, and the same refusals", async () => {
      await insert(40, (index) => `note ${index % 3}`);
      const there = await walk("/api/title?limit=6", "next");
      assert.deepEqual(there, await walk("/title?limit=6", "next"));
      assert.deepEqual(await walk("/api/title?limit=6&offset=36", "previous"), there);
      const { next } = await list("/title?limit=6");
      assert.deepEqual((await list(`/api/title?limit=6&after=${next}`)).data.length, 6);
      for (const query of [`sort=asc&after=${next}`, `after=${next}x`, "before=x", `after=${next}&offset=1`]) {
        assert.equal((await ask(`/api/title?${query}`))[0], 400, query);
      }
    });

    test("pages of HTML lead from one to the next and back", async () => {
      await insert(25, (index) => `note ${index % 2}`);
      const open = async (path: string): Promise<{ ids: string[]; place: string; link: (rel: string) => string }> => {
        const [status, body] = await ask(path, "text/html");
        assert.equal(status, 200, body);
        const link = (rel: string): string =>
          (new RegExp(`rel="${rel}" href="([^"]*)"`).exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
        const ids = [...body.matchAll(/<li>([^<]*)<\/li>/g)].map(([, id]) => id ?? "");
        return { ids, place: /\d+\/\d+/.exec(body)?.[0] ?? "", link };
      };
      const all = (await list("/title?filter=note%200&limit=100")).data.map(({ id }) => id);
      const first = await open("/title?filter=note%200&limit=5");
      const second = await open(first.link("next"));
      const third = await open(second.link("next"));
      assert.deepEqual([...first.ids, ...second.ids, ...third.ids], all);
      assert.deepEqual([first.place, second.place, third.place], ["0/13", "5/13", "10/13"]);
      assert.deepEqual([first.link("prev"), third.link("next")], ["", ""]);
      const back = await open(third.link("prev"));
      assert.deepEqual([back.ids, back.place], [second.ids, "5/13"]);
      assert.deepEqual((await open(back.link("prev"))).ids, first.ids);
    });

    test("a cursor holds when the secret is rotated, until the former one is listed no more", async () => {
      await insert(20, (index) => `note ${index}`);
      const [former, present] = [Random.base64url(32), Random.base64url(32)];
      const path = async (): Promise<string> => `/title?limit=5&after=${(await list("/title?limit=5")).next}`;
      using _ = configuration({ FRAMEWORK_SECRET: former });
      const old = await path();
      using __ = configuration({ FRAMEWORK_SECRET: present, FRAMEWORK_SECRET_OLD: former });
      const rotated = await path();
      assert.deepEqual(await list(old), await list(rotated));
      using ___ = configuration({ FRAMEWORK_SECRET_OLD: "" });
      assert.deepEqual([(await ask(old))[0], (await ask(rotated))[0]], [400, 200]);
    });

    test("a cursor that was changed, or is of another list, order or filter, is 400 like any other bad value", async () => {
      await insert(20, (index) => `note ${index % 2}`);
      const { next } = await list("/title?sort=asc&limit=5&filter=note");
      assert.ok(next !== null);
      assert.equal((await list(`/title?sort=asc&limit=3&filter=note&after=${next}`)).offset, 5);
      const [payload = "", signature = ""] = next.split(".");
      const forged = Buffer.from(JSON.stringify(["", "' or 1=1"])).toString("base64url");
      const bad = [
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
      for (const path of bad) {
        const [status, body] = await ask(path);
        const problem = JSON.parse(body) as { status: number; code: string; detail: string };
        assert.deepEqual([status, problem.status], [400, 400], path);
        assert.match(problem.code, /^E_(QUERY_INVALID|SEARCH)$/);
        assert.equal((await ask(path, "text/html"))[0], 400, path);
      }
    });
  });
}

pagingCases("SQLite", () => sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => pagingCases("PostgreSQL", () => postgresql({ url })));
await withServer(mariadbServer, ({ url }) => pagingCases("MariaDB", () => mariadb({ url })));
