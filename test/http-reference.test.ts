import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { App, Configuration, Web } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { ConfigurationInternals } from "../src/config/index.ts";
import { root } from "./sources.ts";

test("runs the example of docs/reference/http.md without an application", async () => {
  const page = readFileSync(join(root, "docs/reference/http.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  const example = blocks.find((code) => code.includes("createServer(")) ?? "";
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", example],
    { cwd: root },
  );
  assert.deepEqual([stdout, stderr], ["{ hello: 'Ada' }\n", ""]);
});

test("a request that finds the pool of the database full is answered with 503 and Retry-After", async () => {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["PORT", "0"],
    ["DATABASE_POOL_WAITING", "1"],
  ]);
  const database = sqlite({ url: "sqlite::memory:" });
  const hold = Promise.withResolvers<undefined>();
  const router = Web.get("/", async () => {
    await database.query(() => hold.promise);
    return Web.Response.text("answered");
  });
  const app = App.create({ services: [database, Web.Http.service({ router })], reporters: [] });
  await app.start();
  try {
    const { size } = database.poolStats();
    const accepted = Array.from({ length: size + 1 }, () => app.request("/"));
    const refused = await app.request("/");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    hold.resolve(undefined);
    for (const response of await Promise.all(accepted)) assert.equal(await response.text(), "answered");
  } finally {
    await app.stop();
    ConfigurationInternals.reset();
  }
});
