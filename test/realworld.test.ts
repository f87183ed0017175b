// The RealWorld example on the other databases: its own tests, with one line of its service list changed.
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
// What each operation answers is the same on all databases if what is read and written is.
const tests = globSync("test/*.test.ts", { cwd: folder }).filter((path) => !path.includes("operations"));

/** Changes the line when the service list is loaded. */
const changed = (door: string): string => {
  const load = `(url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith("/realworld/service/service.ts")) return loaded;
    return { ...loaded, source: String(loaded.source).replaceAll("sqlite", ${JSON.stringify(door)}) };
  }`;
  return `data:text/javascript,${encodeURIComponent(`import { registerHooks } from "node:module"; registerHooks({ load: ${load} });`)}`;
};

async function passes(door: string, url: string): Promise<void> {
  // One file after the other: they share the database.
  const args = ["--conditions=@limmat/source", "--import", changed(door), "--test", "--test-concurrency=1", ...tests];
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

await withServer(postgresql, ({ url }) => test("passes on PostgreSQL", () => passes("postgresql", url)));
await withServer(mariadb, ({ url }) => test("passes on MariaDB", () => passes("mariadb", url)));
