import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "./sources.ts";

// Code outside of the page: the services of an application start before its code runs.
const start = `
import assert from "node:assert/strict";
import { App, Cleaner, Migration } from "limmat";
import { visitor } from "limmat/testing";
const migration = Migration.service({ database, onPending: "run" });
const app = App.create({ services: [cache, migration] });
await app.start({ server: false });
`;

const check = `
assert.deepEqual(now, { place: "Zurich", celsius: 21.5 });
assert.equal(await cache.findOpt("motd"), undefined);
assert.deepEqual([visits, result.ok, await cache.findOpt("parts"), attempt.remaining], [1, true, "6", 2]);
await app.stop();

const site = App.create({ services: [cache, migration, Web.Http.service({ router })] });
await site.start({ server: false });
const text = "Dear Ada, ".repeat(1000);
const [writer, other] = [visitor(site), visitor(site)];
assert.equal((await writer.get("/draft")).body, "No draft");
const saved = await writer.post("/draft", { title: "A letter", text });
assert.equal(saved.location, "/draft");
assert.equal((await writer.follow(saved)).body, text);
assert.equal((await other.get("/draft")).body, "No draft");
assert.ok([...writer.cookies.values()].every((cookie) => cookie.length < 1000));
await Cleaner.cleanAll();
assert.equal((await writer.get("/draft")).body, "No draft");
await site.stop();
console.log("done");
`;

test("the examples of the guide's page on caches run, and a draft is larger than its session", async () => {
  const page = readFileSync(join(root, "docs/guide/cache.md"), "utf8");
  const [services = "", ...blocks] = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  const [head, ...rest] = services.split(/(?<=Cache\.sql\(\{ database \}\);\n)/);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      "--conditions=@limmat/source",
      "--input-type=module-typescript",
      "-e",
      [head, start, ...rest, ...blocks, check].join("\n"),
    ],
    { cwd: root, env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "error" } },
  );
  assert.equal(stdout, "done\n");
});
