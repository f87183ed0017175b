// Lists of a resource with filters, sort columns and full text from the query string to the database, on every database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, Configuration, Migration, ok, Schema, Web } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, fullTextIndex, prepareSearchRequest, Row, runCursorSearch, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { payloads } from "../../packages/limmat-contracts/src/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { sample } from "../rounds.ts";

const issueRow = Row.record({
  id: Row.text,
  title: Row.text,
  status: Row.text,
  points: Row.nullable(Row.int),
  created_at: Row.timestamp,
});
type Issue = Row.Infer<typeof issueRow>;
const columns = sql.columns(issueRow);
const schema = Schema.record({ title: Schema.string() });
const issueText = fullTextIndex("issues", ["title"]);

const { Query } = Web;
const rules = {
  filterBy: {
    status: Query.anyOf(Query.oneOf("open", "closed")),
    points: Query.nullable(Query.int),
    created_at: Query.range(Query.timestamp),
    title: Query.text,
  },
  sortBy: ["created_at", "title", "points"],
  text: true,
} as const;

const issues: readonly Issue[] = Array.from({ length: 30 }, (_, index) => ({
  id: `i${String(index).padStart(2, "0")}`,
  title: `issue ${["red", "green", "blue"][index % 3]} ${index % 7}`,
  status: index % 4 === 0 ? "closed" : "open",
  points: index % 5 === 0 ? null : index % 3,
  created_at: new Date(Date.UTC(2026, 0, 1 + (index % 10), 12)),
}));

interface ListBody {
  readonly data: readonly { readonly id: string }[];
  readonly total?: number;
  readonly next: string | null;
}

function listCases(name: string, database: Database): void {
  describe(name, () => {
    const request = prepareSearchRequest({
      from: sql`issues`,
      row: issueRow,
      filter: ["title"],
      filterBy: { status: Row.text, points: Row.nullable(Row.int), created_at: Row.timestamp, title: Row.text },
      fullText: issueText,
      sort: rules.sortBy,
    });
    const migrations = [
      Migration.make("issues", [
        Migration.step(
          "issues",
          ({
            string,
            int,
            timestamp,
          }) => `create table issues (id ${string(10)} primary key, title ${string(100)} not null,
            status ${string(10)} not null, points ${int}, created_at ${timestamp} not null)`,
        ),
        Migration.step("full text", issueText.up, { down: issueText.down }),
      ]),
    ];
    const counted = {
      find: () => undefined,
      // The query of the web is the parameters of the search.
      search: (query: Web.CompleteQuery) => runCursorSearch(database, request, query),
      delete: () => ok(),
    };
    const uncounted = {
      ...counted,
      search: (query: Web.CompleteQuery) => runCursorSearch(database, request, { ...query, total: false }),
    };
    const view: Pick<Web.Rest.ResourceView<Issue>, "index"> = {
      index: (_request, _csrf, [items, total], query, cursors) => {
        const next = Query.nextPage(query, total, cursors);
        const title = Query.nextSort(query, "title");
        return html`${items.map(({ id }) => html`<li>${id}</li>`)}
          <a rel="next" href="/issues${next === undefined ? "" : Query.toQueryString(next)}"></a>
          <a rel="title" href="/issues${Query.toQueryString(title)}"></a>`;
      },
    };
    const only = ["index"] as const;
    const router = Web.choose([
      Web.choose(Web.Rest.resourceOfService({ name: "issues", schema, service: counted, view, only, ...rules }), {
        middlewares: Web.Middleware.site(),
      }),
      Web.choose(
        [
          ...Web.Rest.jsonOfService({ name: "issues", schema, service: counted, only, ...rules }),
          ...Web.Rest.jsonOfService({ name: "uncounted", schema, service: uncounted, only, ...rules }),
        ],
        { scope: "/api", middlewares: Web.Middleware.api() },
      ),
    ]);
    const migration = Migration.service({ database, migrations, onPending: "run" });
    const http = Web.Http.service({ router, dependencies: () => [migration] });
    const app = App.create({ services: [database, migration, http] });

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await app.start({ server: false });
      const rows = issues.map((issue) => sql`(${sql.join(Object.values(issue).map((value) => sql`${value}`))})`);
      await database.exec(sql`insert into issues (${columns}) values ${sql.join(rows)}`);
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
    });

    const ask = async (path: string, accept = "application/json"): Promise<[status: number, body: string]> => {
      const response = await app.request(path, { headers: { accept } });
      return [response.status, await response.text()];
    };
    const list = async (path: string): Promise<ListBody> => {
      const [status, body] = await ask(path);
      assert.equal(status, 200, `${path}: ${body}`);
      return JSON.parse(body) as ListBody;
    };
    const idsOf = (matching: readonly Issue[]): readonly string[] => matching.map(({ id }) => id).toSorted();

    test("the query string filters", async () => {
      const cases: readonly (readonly [query: string, matches: (issue: Issue) => boolean])[] = [
        ["status=open", ({ status }) => status === "open"],
        ["status=open&status=closed", () => true],
        ["points=none", ({ points }) => points === null],
        ["points=2&status=open", ({ points, status }) => points === 2 && status === "open"],
        [
          "created_at_from=2026-01-03&created_at_to=2026-01-04",
          ({ created_at }) => [3, 4].includes(created_at.getUTCDate()),
        ],
        ["created_at_to=2026-01-03T11:59:59.999Z", ({ created_at }) => created_at.getUTCDate() < 3],
        ["title=issue%20red%200", ({ title }) => title === "issue red 0"],
        ["text=red&filter=0", ({ title }) => title.includes("red") && title.includes("0")],
      ];
      for (const [query, matches] of cases) {
        const expected = idsOf(issues.filter(matches));
        for (const path of ["/api/issues", "/api/uncounted", "/issues"]) {
          const { data, total } = await list(`${path}?limit=100&${query}`);
          assert.deepEqual(data.map(({ id }) => id).toSorted(), expected, query);
          assert.equal(total, path === "/api/uncounted" ? undefined : expected.length);
        }
      }
    });

    test("cursors of JSON keep filters and order, with a total and without", async () => {
      const query = "status=open&sort=-points,title&limit=4";
      const all = (await list(`/api/issues?${query.replace("limit=4", "limit=100")}`)).data.map(({ id }) => id);
      for (const path of ["/api/issues", "/api/uncounted"]) {
        const seen: string[] = [];
        for (let page = await list(`${path}?${query}`); ; page = await list(`${path}?${query}&after=${page.next}`)) {
          seen.push(...page.data.map(({ id }) => id));
          if (page.next === null) break;
        }
        assert.deepEqual(seen, all);
      }
    });

    test("links of pages keep filters, and change the order", async () => {
      const link = (body: string, rel: string): string =>
        (new RegExp(`rel="${rel}" href="([^"]*)"`).exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
      const seen: string[] = [];
      let path = "/issues?status=open&created_at_from=2026-01-02&sort=-points,title&limit=4";
      for (; path !== "/issues";) {
        const [status, body] = await ask(path, "text/html");
        assert.equal(status, 200, path);
        seen.push(...[...body.matchAll(/<li>([^<]*)<\/li>/g)].map(([, id]) => id ?? ""));
        assert.equal(link(body, "title"), "/issues?status=open&created_at_from=2026-01-02&limit=4&sort=title");
        path = link(body, "next");
      }
      const matching = issues.filter(({ status, created_at }) => status === "open" && created_at.getUTCDate() >= 2);
      assert.deepEqual(seen.toSorted(), idsOf(matching));
    });

    test("invalid filters and orders are 400, an invalid filter of a page 422, and unknown parameters are in JSON", async () => {
      for (const query of [
        "status=x",
        "points=x",
        "created_at_from=x",
        "sort=id",
        "sort=title,title",
        "status=open&after=x.y",
      ]) {
        for (const path of ["/api/issues", "/api/uncounted", "/issues"]) {
          assert.equal((await ask(`${path}?${query}`))[0], 400, query);
          if (path !== "/issues") continue;
          assert.equal((await ask(`${path}?${query}`, "text/html"))[0], query.endsWith("=x") ? 422 : 400, query);
        }
      }
      const [status, body] = await ask("/api/issues?stauts=open");
      assert.equal(status, 400);
      assert.match(body, /E_QUERY_INVALID.*stauts|stauts.*E_QUERY_INVALID/s);
      assert.equal((await ask("/issues?utm_source=x", "text/html"))[0], 200);
    });

    test("two thousand hostile texts reach the database as values or not at all", async () => {
      for (const text of sample([...new Set(payloads(3000))].slice(0, 2000))) {
        const value = encodeURIComponent(text);
        const [status, body] = await ask(`/api/uncounted?title=${value}&text=${value}&limit=1`);
        if (status === 200) assert.deepEqual((JSON.parse(body) as ListBody).data, [], text);
        else assert.equal(status, 400, `${text}: ${body}`);
      }
      assert.equal((await list("/api/issues?limit=1")).total, issues.length);
    });
  });
}

listCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => listCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => listCases("MariaDB", mariadb({ url })));
