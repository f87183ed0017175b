import assert from "node:assert/strict";
import { type Answer, browserHeaders, requestBytes, type Visitor, visitor } from "../harness/http.ts";
import { aboutText, rows, todo } from "./data.mjs";
import { resetTodos, todoCount } from "./database.ts";
import { csrfField, expectPage, normalise } from "./page.ts";
import type { Work } from "./work.ts";

const total = todoCount;
const matching = Array.from({ length: total }, (_, index) => todo(total - index)).filter(({ title }) =>
  title.includes("milk"),
);

/** Starts a session: `/enter` stores a name in it and a notice in the flash, which only the next page shows. */
async function enter(first: Visitor): Promise<void> {
  const entered = await first.ask("/enter", { headers: browserHeaders });
  assert.equal(entered.status, 303);
  assert.equal(entered.header("location"), "/site");
  assert.match(entered.header("set-cookie"), /httponly/i);
  assert.match(entered.header("set-cookie"), /samesite=lax/i);
  const site = { heading: "Todos", rows };
  expectPage(await first.ask("/site", { headers: browserHeaders }), 200, { ...site, notice: "Welcome, Ada" });
  expectPage(await first.ask("/site", { headers: browserHeaders }), 200, site);
  // Pages with a CSRF token differ on each request, so entity tags are checked on a page without one.
  const about = await first.ask("/about", { headers: browserHeaders });
  expectPage(about, 200, { heading: "About", text: aboutText });
  const known = { ...browserHeaders, "if-none-match": about.header("etag") };
  assert.equal((await first.ask("/about", { headers: known })).status, 304);
}

/** Returns the requests of 64 visitors, each with its own session. `request` receives the last page of the visitor. */
async function ofVisitors(port: number, request: (cookie: string, page: Answer) => Buffer): Promise<readonly Buffer[]> {
  const requests: Buffer[] = [];
  while (requests.length < 64) {
    const other = visitor(port);
    await other.ask("/enter", { headers: browserHeaders });
    const page = await other.ask("/site", { headers: browserHeaders });
    requests.push(request(other.cookie(), page));
  }
  return requests;
}

const indexPath = "/todos?filter=milk&limit=20&offset=20&sort=desc";

const indexWork = (database: string): Work => ({
  group: "pages",
  name: `index-${database}`,
  title: `Resource index on ${database}: the site page with 20 of 200 rows, searched, counted and sorted`,
  application: `todos-${database}`,
  status: 200,
  reset: () => resetTodos(database),
  async prepare(first, port) {
    await enter(first);
    const search = { filter: "milk", total: matching.length };
    expectPage(await first.ask(indexPath, { headers: browserHeaders }), 200, {
      heading: "Todos",
      rows: matching.slice(20, 40),
      search: { ...search, first: 21, last: Math.min(40, matching.length) },
    });
    expectPage(await first.ask("/todos?limit=20", { headers: browserHeaders }), 200, {
      heading: "Todos",
      rows: Array.from({ length: 20 }, (_, index) => todo(total - index)),
      search: { filter: "", total, first: 1, last: 20 },
    });
    return await ofVisitors(port, (cookie) =>
      requestBytes(port, indexPath, { headers: { ...browserHeaders, cookie } }),
    );
  },
});

/** Benchmarks of web applications: pages with session, CSRF protection and flash. */
export const siteWorks: readonly Work[] = [
  {
    group: "pages",
    name: "site",
    title: "Site page: session, CSRF field, flash, etag, layout and 20 rows; no database",
    application: "site",
    status: 200,
    async prepare(first, port) {
      await enter(first);
      return await ofVisitors(port, (cookie) =>
        requestBytes(port, "/site", { headers: { ...browserHeaders, cookie } }),
      );
    },
  },
  indexWork("postgresql"),
  indexWork("sqlite"),
  indexWork("mariadb"),
  {
    group: "pages",
    name: "form",
    title: "Form post on postgresql: session, CSRF, urlencoded body, validation, insert, flash, 303",
    application: "todos-postgresql",
    status: 303,
    reset: () => resetTodos("postgresql"),
    async prepare(first, port) {
      await enter(first);
      const [name, token] = csrfField(await first.ask("/todos?limit=20", { headers: browserHeaders }));
      const headers = {
        ...browserHeaders,
        origin: `http://127.0.0.1:${port}`,
        "content-type": "application/x-www-form-urlencoded",
      };
      const post = (fields: Readonly<Record<string, string>>) => ({
        method: "POST",
        headers,
        body: new URLSearchParams(fields).toString(),
      });
      const forged = await first.ask("/todos", post({ title: "Forged", [name]: `x${token.slice(1)}` }));
      assert.equal(forged.status, 403);
      expectPage(await first.ask("/todos", post({ title: "", [name]: token })), 422, {
        heading: "New todo",
        form: { title: "", error: "Please enter a title" },
      });
      const tooLong = `"${"x".repeat(200)}`;
      expectPage(await first.ask("/todos", post({ title: tooLong, [name]: token })), 422, {
        heading: "New todo",
        form: { title: tooLong, error: "At most 200 characters, please" },
      });
      const valid = (csrf: string) => post({ title: "Feed the <cat> & the dog", done: "on", [name]: csrf });
      const created = await first.ask("/todos", valid(token));
      assert.equal(created.status, 303, created.body.slice(0, 2000));
      assert.equal(created.header("location"), "/todos");
      const listed = normalise((await first.ask("/todos?limit=20&filter=cat", { headers: browserHeaders })).body);
      assert.match(listed, /<p class="notice" role="status">Todo created<\/p>/);
      assert.match(listed, />Feed the &lt;cat&gt; &amp; the dog<\/a><\/td><td>yes<\/td>/);
      assert.match(listed, /<p>1 to 1 of 1<\/p>/);
      return await ofVisitors(port, (cookie, page) =>
        requestBytes(port, "/todos", { ...valid(csrfField(page)[1]), headers: { ...headers, cookie } }),
      );
    },
  },
];
