import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { TimeInternals } from "../../time/index.ts";
import { PublicDirectory } from "./public-directory.ts";

let root = "";
before(() => (root = mkdtempSync(join(tmpdir(), "limmat-public-"))));
after(() => rmSync(root, { recursive: true }));

test("versions of a file with the same size and time have different entity tags", async () => {
  const time = new Date("2026-01-02T03:04:05Z");
  for (const ending of ["", ".br", ".zst", ".gz"]) {
    writeFileSync(join(root, `same.txt${ending}`), "1");
    utimesSync(join(root, `same.txt${ending}`), time, time);
  }
  const file = (await new PublicDirectory(root).find("same.txt")) ?? assert.fail("not found");
  assert.deepEqual(
    [file.plain, ...file.compressed].map(({ etag }) => /-[a-z]+(?="$)/.exec(etag)?.[0]),
    [undefined, "-br", "-zstd", "-gzip"],
  );
});

describe("a look-up in a public directory", () => {
  test("is cached for a second, also if there is no file", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    const directory = new PublicDirectory(root);
    assert.equal(await directory.find("late.txt"), undefined);
    writeFileSync(join(root, "late.txt"), "1");
    await clock.advance(999);
    assert.equal(await directory.find("late.txt"), undefined);
    await clock.advance(1);
    assert.equal((await directory.find("late.txt"))?.plain.size, 1);
  });

  test("is evicted, the oldest first, beyond a thousand paths", async (context) => {
    context.after(TimeInternals.useClock(TimeInternals.fakeClock()));
    const directory = new PublicDirectory(root);
    const names = Array.from({ length: 1001 }, (_, id) => `missing-${id}`);
    const finds = names.slice(0, 1000).map((name) => directory.find(name));
    assert.equal(directory.find("missing-0"), finds[0]);
    finds.push(directory.find("missing-1000"));
    assert.equal(directory.find("missing-1"), finds[1]);
    assert.notEqual(directory.find("missing-0"), finds[0]);
    await Promise.all(finds);
  });

  test("is not cached if it fails", async () => {
    const directory = new PublicDirectory(root);
    const first = directory.find("a\0b");
    await assert.rejects(first, { code: "ERR_INVALID_ARG_VALUE" });
    const second = directory.find("a\0b");
    assert.notEqual(second, first);
    await assert.rejects(second);
  });

  test("moves to the end when it is repeated, so that newer entries are evicted later", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    const directory = new PublicDirectory(root);
    const names = Array.from({ length: 1000 }, (_, id) => `missing-${id}`);
    await Promise.all(names.map((name) => directory.find(name)));
    await clock.advance(1000);
    const again = directory.find("missing-1");
    await Promise.all([directory.find("missing-1000"), directory.find("missing-1001")]);
    assert.equal(directory.find("missing-1"), again);
  });
});
