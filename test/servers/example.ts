import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { mariadb } from "./mariadb.ts";
import { postgresql } from "./postgresql.ts";
import { withServer } from "./server.ts";

const examples = resolve(import.meta.dirname, "../../examples");

/** Returns a module that replaces `sqlite` in the service list when Node.js loads it. */
const replaceDatabase = (example: string, database: string): string => {
  const load = `(url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith("/${example}/service/service.ts")) return loaded;
    return { ...loaded, source: String(loaded.source).replaceAll("sqlite", ${JSON.stringify(database)}) };
  }`;
  return `data:text/javascript,${encodeURIComponent(`import { registerHooks } from "node:module"; registerHooks({ load: ${load} });`)}`;
};

/** Defines tests that run test files of an example on PostgreSQL and MariaDB, with another database in its service list. */
export async function testExampleOnServers(example: string, files: readonly string[]): Promise<void> {
  // Saves each process but the first from compiling the framework again.
  const compileCache = mkdtempSync(join(tmpdir(), "limmat-compiled-"));
  after(() => rmSync(compileCache, { recursive: true, force: true }));
  const runTests = async (database: string, url: string): Promise<void> => {
    // Files run one at a time, because they share the database.
    const flags = ["--import", replaceDatabase(example, database), "--test", "--test-concurrency=1"];
    const args = ["--conditions=@limmat/source", ...flags, ...files];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = spawn(process.execPath, args, {
      cwd: resolve(examples, example),
      env: { ...env, DATABASE_URL: url, NODE_COMPILE_CACHE: compileCache },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output, [code]] = await Promise.all([text(run.stdout), once(run, "exit")]);
    assert.equal(code, 0, output);
    assert.match(output, /pass \d{2,}/);
  };
  await withServer(postgresql, ({ url }) => test("passes on PostgreSQL", () => runTests("postgresql", url)));
  await withServer(mariadb, ({ url }) => test("passes on MariaDB", () => runTests("mariadb", url)));
}
