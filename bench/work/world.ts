import assert from "node:assert/strict";
import { requestBytes, type Visitor } from "../harness/http.ts";
import { normalise } from "./page.ts";
import { expectJson, type Work } from "./work.ts";

/** Messages of the fortune table in the order of their ids, as defined by TechEmpower. */
export const fortunes: readonly string[] = [
  "fortune: No such file or directory",
  "A computer scientist is someone who fixes things that aren't broken.",
  "After enough decimal places, nobody gives a damn.",
  "A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1",
  "A computer program does what you tell it to do, not what you want it to do.",
  "Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen",
  "Any program that runs right is obsolete.",
  "A list is only as strong as its weakest link. — Donald Knuth",
  "Feature: A bug with seniority.",
  "Computers make very fast, very accurate mistakes.",
  '<script>alert("This should not be displayed in a browser alert box.");</script>',
  "フレームワークのベンチマーク",
];

const escape = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (character) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" }[character]};`,
  );

const fortunesPage = `<!doctype html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>${[
  [0, "Additional fortune added at request time."] as const,
  ...fortunes.map((message, index) => [index + 1, message] as const),
]
  .sort(([, a], [, b]) => (a < b ? -1 : 1))
  .map(([id, message]) => `<tr><td>${id}</td><td>${escape(message)}</td></tr>`)
  .join("")}</table></body></html>`;

function expectWorld(world: unknown): void {
  assert.ok(typeof world === "object" && world !== null);
  assert.deepEqual(Object.keys(world), ["id", "randomNumber"]);
  for (const value of Object.values(world)) assert.ok(Number.isInteger(value) && value >= 1 && value <= 10_000);
}

const worldWork = (name: string, title: string, path: string, check: (visitor: Visitor) => Promise<void>): Work => ({
  group: "database",
  name,
  title: `${title} (TechEmpower)`,
  application: "world",
  status: 200,
  async prepare(visitor, port) {
    await check(visitor);
    return [requestBytes(port, path, { headers: { accept: "application/json,text/html;q=0.9,*/*;q=0.8" } })];
  },
});

const expectWorlds =
  (path: string, parameter = "queries") =>
  async (visitor: Visitor): Promise<void> => {
    for (const [count, expected] of [
      ["20", 20],
      ["0", 1],
      ["x", 1],
      ["501", 500],
    ] as const) {
      const answer = await visitor.ask(`${path}?${parameter}=${count}`);
      const worlds: unknown = JSON.parse(answer.body);
      expectJson(answer, worlds);
      assert.ok(Array.isArray(worlds));
      assert.equal(worlds.length, expected);
      worlds.forEach(expectWorld);
    }
  };

const rowPath = (n: number): string => `/row/${1 + ((n * 37) % 10_000)}`;

/** Benchmark of one row, read by its key. */
export const rowWork: Work = {
  group: "database",
  name: "row",
  title: "One row by its key as JSON, 1,000 keys in turn",
  application: "world",
  status: 200,
  async prepare(visitor, port) {
    for (let n = 0; n < 5; n += 1) {
      const path = rowPath(n);
      const answer = await visitor.ask(path);
      const world: unknown = JSON.parse(answer.body);
      expectJson(answer, world);
      expectWorld(world);
      assert.equal((world as { id: number }).id, Number(path.slice(5)));
      assert.equal((await visitor.ask(path)).body, answer.body);
    }
    assert.equal((await visitor.ask("/row/10001")).status, 404);
    assert.match(String((await visitor.ask("/row/x")).status), /^40[04]$/);
    const headers = { accept: "application/json" };
    return Array.from({ length: 1_000 }, (_, n) => requestBytes(port, rowPath(n), { headers }));
  },
};

/** Benchmark of rows from a cache in the process, as TechEmpower's test asks for. */
export const cachedQueriesWork: Work = {
  ...worldWork(
    "cached-queries",
    "20 rows from a cache in the process",
    "/cached-queries?count=20",
    expectWorlds("/cached-queries", "count"),
  ),
  group: "data",
  application: "cached",
};

/** One row by its key, and the database tests of TechEmpower's Framework Benchmarks, on PostgreSQL. */
export const worldWorks: readonly Work[] = [
  rowWork,
  worldWork("db", "Single query", "/db", async (visitor) => {
    const seen = new Set<string>();
    for (let n = 0; n < 10; n += 1) {
      const answer = await visitor.ask("/db");
      expectWorld(JSON.parse(answer.body));
      seen.add(answer.body);
    }
    assert.ok(seen.size > 1, "always the same row");
  }),
  worldWork("queries", "20 queries", "/queries?queries=20", expectWorlds("/queries")),
  worldWork("updates", "20 queries and updates", "/updates?queries=20", expectWorlds("/updates")),
  worldWork("fortunes", "Fortunes", "/fortunes", async (visitor) => {
    const answer = await visitor.ask("/fortunes");
    assert.equal(answer.header("content-type").toLowerCase().replaceAll(" ", ""), "text/html;charset=utf-8");
    assert.equal(normalise(answer.body).replaceAll("&#x27;", "&#39;"), fortunesPage);
  }),
];
