import assert from "node:assert/strict";
import { type Answer, browserHeaders, requestBytes, type Visitor, visitor } from "../harness/http.ts";
import { aboutText, rows, todo } from "./data.mjs";
import { provideTodos, resetTodos, todoCount } from "./database.ts";
import { csrfField, expectPage, normalise } from "./page.ts";
import type { Work } from "./work.ts";

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
  // Pages with a CSRF token differ on each request, so none has an entity tag. Tags are checked on a page without a token.
  assert.equal((await first.ask("/site", { headers: browserHeaders })).header("etag"), "", "a tag that never matches");
  const about = await first.ask("/about", { headers: browserHeaders });
  expectPage(about, 200, { heading: "About", text: aboutText });
  const known = { ...browserHeaders, "if-none-match": about.header("etag") };
  assert.equal((await first.ask("/about", { headers: known })).status, 304);
}

/**
 * Numbers of visitors: one for each connection, those of a busy minute, and more than any contestant remembers the verified
 * sessions of. Each request is that of the next visitor.
 */
const [few, many, tooMany] = [64, 1_200, 10_000];

const visitorsText = (count: number): string =>
  `${count.toLocaleString("en")} visitors${count === tooMany ? ", more than are remembered" : ""}`;

/** Returns the requests of visitors, each with its own session. `request` receives the last page of the visitor. */
async function ofVisitors(
  count: number,
  port: number,
  request: (cookie: string, page: Answer) => Buffer,
): Promise<readonly Buffer[]> {
  const requests: Buffer[] = [];
  const enterNext = async (): Promise<void> => {
    const other = visitor(port);
    await other.ask("/enter", { headers: browserHeaders });
    const page = await other.ask("/site", { headers: browserHeaders });
    requests.push(request(other.cookie(), page));
  };
  while (requests.length < count) await Promise.all(Array.from({ length: 16 }, enterNext));
  return requests;
}

/** Search of the resource index. */
interface Search {
  readonly name: string;
  readonly database: string;
  readonly rows: number;
  readonly filter: string;
  readonly connections?: number;
}

function indexWork({ name, database, rows: total, filter, connections }: Search): Work {
  const path = `/todos?filter=${filter}&limit=20&offset=20&sort=desc`;
  const newest = (count: number): ReturnType<typeof todo>[] =>
    Array.from({ length: count }, (_, index) => todo(total - index));
  return {
    group: "pages",
    name,
    title: `Resource index on ${database}: the site page with 20 of ${total.toLocaleString("en")} rows, searched, counted and sorted`,
    application: `todos-${database}`,
    status: 200,
    ...(connections === undefined ? {} : { connections }),
    reset: () => (total === todoCount ? resetTodos(database) : provideTodos(total)),
    async prepare(first, port) {
      const matching = newest(total).filter(({ title }) => title.includes(filter));
      await enter(first);
      expectPage(await first.ask(path, { headers: browserHeaders }), 200, {
        heading: "Todos",
        rows: matching.slice(20, 40),
        search: { filter, total: matching.length, first: 21, last: Math.min(40, matching.length) },
      });
      // A person expects the same rows for "milk" and "Milk".
      const capitals = filter.toUpperCase();
      expectPage(await first.ask(path.replace(filter, capitals), { headers: browserHeaders }), 200, {
        heading: "Todos",
        rows: matching.slice(20, 40),
        search: { filter: capitals, total: matching.length, first: 21, last: Math.min(40, matching.length) },
      });
      expectPage(await first.ask("/todos?limit=20", { headers: browserHeaders }), 200, {
        heading: "Todos",
        rows: newest(20),
        search: { filter: "", total, first: 1, last: 20 },
      });
      return await ofVisitors(few, port, (cookie) =>
        requestBytes(port, path, { headers: { ...browserHeaders, cookie } }),
      );
    },
  };
}

/** Creates the benchmark of the site page for a number of visitors. */
export const siteWork = (name: string, visitors: number): Work => ({
  group: "pages",
  name,
  title: `Site page: session, CSRF field, flash, layout and 20 rows; no database; ${visitorsText(visitors)}`,
  application: "site",
  status: 200,
  async prepare(first, port) {
    await enter(first);
    return await ofVisitors(visitors, port, (cookie) =>
      requestBytes(port, "/site", { headers: { ...browserHeaders, cookie } }),
    );
  },
});

const formWork = (workName: string, visitors: number): Work => ({
  group: "pages",
  name: workName,
  title: `Form post on postgresql: session, CSRF, urlencoded body, validation, insert, flash, 303; ${visitorsText(visitors)}`,
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
    return await ofVisitors(visitors, port, (cookie, page) =>
      requestBytes(port, "/todos", { ...valid(csrfField(page)[1]), headers: { ...headers, cookie } }),
    );
  },
});

/** Benchmarks of web applications: pages with session, CSRF protection and flash. */
export const siteWorks: readonly Work[] = [
  siteWork("site", few),
  siteWork("site-1200", many),
  siteWork("site-10k", tooMany),
  ...["postgresql", "sqlite", "mariadb"].map((database) =>
    indexWork({ name: `index-${database}`, database, rows: todoCount, filter: "milk" }),
  ),
  indexWork({ name: "index-10k", database: "postgresql", rows: 10_000, filter: "milk" }),
  // A whole scan each. More connections would measure the queue of the database.
  {
    ...indexWork({ name: "index-1m", database: "postgresql", rows: 1_000_000, filter: "9999", connections: 8 }),
    group: "data",
  },
  formWork("form", few),
  formWork("form-1200", many),
];
