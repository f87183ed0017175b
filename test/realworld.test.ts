// Runs the tests of the RealWorld example on PostgreSQL and MariaDB, with another database in its service list.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { mariadb } from "./servers/mariadb.ts";
import { postgresql } from "./servers/postgresql.ts";
import { withServer } from "./servers/server.ts";

const folder = resolve(import.meta.dirname, "../examples/realworld");
// The operation tests are skipped: they check HTTP details that do not depend on the database.
const tests = globSync("test/*.test.ts", { cwd: folder }).filter((path) => !path.includes("operations"));

/** Returns a module that replaces `sqlite` in the service list when Node.js loads it. */
const replaceDatabase = (database: string): string => {
  const load = `(url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith("/realworld/service/service.ts")) return loaded;
    return { ...loaded, source: String(loaded.source).replaceAll("sqlite", ${JSON.stringify(database)}) };
  }`;
  return `data:text/javascript,${encodeURIComponent(`import { registerHooks } from "node:module"; registerHooks({ load: ${load} });`)}`;
};

async function runTests(database: string, url: string): Promise<void> {
  // Files run one at a time, because they share the database.
  const args = [
    "--conditions=@limmat/source",
    "--import",
    replaceDatabase(database),
    "--test",
    "--test-concurrency=1",
    ...tests,
  ];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, DATABASE_URL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(run.stdout), once(run, "exit")]);
  assert.equal(code, 0, output);
  assert.match(output, /pass \d{2,}/);
}

await withServer(postgresql, ({ url }) => test("passes on PostgreSQL", () => runTests("postgresql", url)));
await withServer(mariadb, ({ url }) => test("passes on MariaDB", () => runTests("mariadb", url)));
