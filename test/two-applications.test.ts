// Two applications in one process: each has its own services, and both share the process-wide state of ARCHITECTURE.md.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { App, Cache, Configuration, Queue, Web } from "../src/index.ts";
import { ConfigurationInternals } from "../src/config/index.ts";
import { sql } from "../src/database/index.ts";
import { sqlite } from "../src/database/sqlite/index.ts";

afterEach(ConfigurationInternals.reset);

test("two applications run in one process, and one keeps running when the other stops", async () => {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["PORT", "0"],
  ]);
  const make = (
    name: string,
  ): { readonly app: App.Application; readonly address: () => Web.Http.Address | undefined } => {
    const database = sqlite({ url: "sqlite::memory:" });
    const [cache, queue] = [Cache.memory(), Queue.memory()];
    const router = Web.get("/", async () => {
      await cache.set("name", name);
      await database.exec(sql`select ${name}`);
      return Web.Response.text((await cache.findOpt("name")) ?? "");
    });
    const http = Web.Http.service({ router });
    return { app: App.create({ services: [database, cache, queue, http] }), address: http.address };
  };
  const [first, second] = [make("first"), make("second")];
  const answerOf = async ({ address }: typeof first): Promise<string> =>
    (await fetch(`http://127.0.0.1:${address()?.port}/`)).text();
  await first.app.start();
  await second.app.start();
  try {
    assert.deepEqual(await Promise.all([answerOf(first), answerOf(second)]), ["first", "second"]);
    await first.app.stop();
    assert.equal(await answerOf(second), "second");
    await first.app.start();
    assert.equal(await answerOf(first), "first");
  } finally {
    await first.app.stop();
    await second.app.stop();
  }
});
