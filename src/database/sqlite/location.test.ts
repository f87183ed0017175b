import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { isError, LimmatError } from "../../core/index.ts";
import { parseSqliteUrl } from "./location.ts";
import { sql } from "../statement/sql.ts";
import { sqlite } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-location-"));
Configuration.store([["ROOT_PATH", folder]]);
after(() => {
  ConfigurationInternals.reset();
  rmSync(folder, { recursive: true, force: true });
});

for (const [url, path] of [
  ["database/a.sqlite", join(folder, "database/a.sqlite")],
  ["sqlite:database/a.sqlite", join(folder, "database/a.sqlite")],
  ["file:database/a.sqlite", join(folder, "database/a.sqlite")],
  [join(folder, "b.sqlite"), join(folder, "b.sqlite")],
  [`sqlite://${join(folder, "b.sqlite")}`, join(folder, "b.sqlite")],
  [pathToFileURL(join(folder, "with space.sqlite")).href, join(folder, "with space.sqlite")],
] as const) {
  test(`parses ${url.replace(folder, "…")} and creates its folder`, () => {
    assert.equal(parseSqliteUrl(url).path, path);
    assert.ok(existsSync(dirname(path)));
  });
}
for (const url of ["", "sqlite:", "postgresql://localhost/a", "mysql://u:canary@h/a", "a\0b"]) {
  test(`refuses ${JSON.stringify(url)} and does not show the URL`, () => {
    assert.throws(
      () => parseSqliteUrl(url),
      (error) => isError(error, "E_DATABASE_URL") && !error.message.includes("canary"),
    );
  });
}

test("creates files and folders that only this user can read, journals included", async () => {
  const path = join(folder, "private/data.sqlite");
  const database = sqlite({ url: path });
  await database.start({ services: [database] });
  await database.exec(sql`create table notes (id integer)`);
  const modes = [dirname(path), path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o600, 0o600, 0o600]);
  await database.stop();
  chmodSync(path, 0o640);
  await database.start({ services: [database] });
  await database.stop();
  assert.equal(statSync(path).mode & 0o777, 0o640, "an existing file keeps its mode");
});

test("shares an in-memory database between connections and removes it on stop", async () => {
  const location = parseSqliteUrl(":memory:");
  location.remove();
  assert.equal(existsSync(dirname(location.path)), false);
  const database = sqlite({ url: ":memory:" });
  await database.start({ services: [database] });
  await database.exec(sql`create table notes (id integer)`);
  await database.exec(sql`insert into notes values (1)`);
  assert.deepEqual(await database.find(sql`select id from notes`), { id: 1 });
  await database.stop();
});

test("fails to start with one error if the file is not a database", async () => {
  const database = sqlite({ url: import.meta.filename });
  await assert.rejects(
    async () => database.start({ services: [database] }),
    (error) => error instanceof LimmatError && error.code === "E_DATABASE_CONNECT",
  );
});
