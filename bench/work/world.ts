import assert from "node:assert/strict";
import { requestBytes, type Visitor } from "../harness/http.ts";
import { normalise } from "./page.ts";
import { expectAnswer, type Work } from "./work.ts";

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
  (path: string) =>
  async (visitor: Visitor): Promise<void> => {
    for (const [count, expected] of [
      ["20", 20],
      ["0", 1],
      ["x", 1],
      ["501", 500],
    ] as const) {
      const answer = await visitor.ask(`${path}?queries=${count}`);
      const worlds: unknown = JSON.parse(answer.body);
      expectAnswer(answer, 200, "application/json", worlds);
      assert.ok(Array.isArray(worlds));
      assert.equal(worlds.length, expected);
      worlds.forEach(expectWorld);
    }
  };

/** Database tests of TechEmpower's Framework Benchmarks on PostgreSQL. */
export const worldWorks: readonly Work[] = [
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
