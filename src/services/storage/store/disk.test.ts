// Behaviour specific to the storage on disk.
import assert from "node:assert/strict";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import { Configuration, Storage } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";

suite("a storage on disk", () => {
  let root: string;
  let storage: Storage.PersistentStorage;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "limmat-storage-"));
    Configuration.store([
      ["FRAMEWORK_ENV", "test"],
      ["ROOT_PATH", root],
    ]);
    storage = Storage.disk();
    await storage.start({ services: [] });
  });
  afterEach(async () => {
    await storage.stop();
    ConfigurationInternals.reset();
    rmSync(root, { recursive: true, force: true });
  });

  const files = (): string[] =>
    globSync("**/*", { cwd: join(root, "storage/test"), withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();

  test("creates files and folders that only this user can read", async () => {
    await storage.put("x");
    const modes = globSync("**/*", { cwd: join(root, "storage"), withFileTypes: true }).map(
      (entry) => statSync(join(entry.parentPath, entry.name)).mode & 0o777,
    );
    assert.deepEqual(new Set(modes), new Set([0o700, 0o600]));
    assert.equal(modes.filter((mode) => mode === 0o600).length, 2);
  });

  test("is in the project folder by default, or in a configured folder", async () => {
    await storage.put("x");
    assert.ok(existsSync(join(root, "storage/test")));
    Configuration.store([["STORAGE_DIR", join(root, "elsewhere")]]);
    const configured = Storage.disk();
    await configured.start({ services: [] });
    await configured.put("x");
    await configured.stop();
    assert.ok(existsSync(join(root, "elsewhere")));
    const fixed = Storage.disk({ directory: "given" });
    await fixed.start({ services: [] });
    await fixed.stop();
    assert.ok(existsSync(join(root, "given")));
    assert.deepEqual(fixed.configuration, []);
  });

  test("names files by their id, in subfolders, never by their filename", async () => {
    const { id } = await storage.put("content", { filename: "../../../evil.sh" });
    assert.deepEqual(files(), [id, `${id}.json`]);
    const path = join(root, "storage/test", id.slice(0, 2), id.slice(2, 4), id);
    assert.equal(readFileSync(path, "utf8"), "content");
    assert.deepEqual(globSync("**/evil*", { cwd: root }), []);
  });

  test("refuses a path as an id", async () => {
    const { id } = await storage.put("content");
    const folder = `${id.slice(0, 2)}/${id.slice(2, 4)}`;
    for (const path of [`././${folder}/${id}`, `${id}/../${id}`, `${id}.json/../${id}`, `${folder}/../../${id}`]) {
      assert.equal(await storage.findOpt(path), undefined, path);
      await storage.delete(path);
    }
    assert.deepEqual(files(), [id, `${id}.json`]);
  });

  test("leaves no files after a failed upload or a deletion", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "x".repeat(600_000);
      throw new Error("gone");
    }
    await assert.rejects(storage.put(broken()), { message: "gone" });
    await storage.delete((await storage.put("x")).id);
    assert.deepEqual(files(), []);
  });

  test("deletes the incomplete uploads of a killed process after a day, and no other files", async () => {
    const { id } = await storage.put("kept");
    const shard = join(root, "storage/test", "0f", "8f");
    mkdirSync(shard, { recursive: true });
    const incompleteId = "0f8fad5b-d9cb-469f-a165-70867728950e";
    // Killed while the content was written, and between the two renames.
    const incompletePaths = [
      join(root, "storage/test", "incoming", `${incompleteId}.abcd`),
      join(shard, incompleteId),
      join(shard, `${incompleteId}.json`),
    ];
    for (const path of incompletePaths) writeFileSync(path, path.endsWith(".json") ? "" : "half");
    assert.equal(await storage.findOpt(incompleteId), undefined);
    await storage.purge();
    assert.equal(files().length, 5);
    const old = new Date(Date.now() - 90_000_000);
    for (const path of globSync(join(root, "storage/test/**/*.*")).concat(incompletePaths)) utimesSync(path, old, old);
    await storage.purge();
    assert.deepEqual(files(), [id, `${id}.json`]);
    assert.equal(Buffer.from(await storage.readAll(id)).toString(), "kept");
    assert.equal((await storage.put("again", { id: incompleteId })).size, 5);
  });

  test("refuses to start in a folder that it cannot write to", async () => {
    writeFileSync(join(root, "file"), "");
    const unwritable = Storage.disk({ directory: "file/storage" });
    await assert.rejects(async () => unwritable.start({ services: [] }), { code: "E_STORAGE_DIRECTORY" });
    await storage.health?.();
    rmSync(join(root, "storage"), { recursive: true });
    writeFileSync(join(root, "storage"), "");
    await assert.rejects(async () => storage.health?.(), { code: "E_STORAGE_DIRECTORY" });
    rmSync(join(root, "storage"));
  });
});
