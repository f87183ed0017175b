import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { TimeInternals } from "../../time/index.ts";
import { serve } from "../application/fetch.test.ts";
import { isBun, type Live, live } from "../../http/server/live.test.ts";
import { staticFile } from "../middleware/static-file.ts";
import { Response as OwnResponse } from "../../http/message/response.ts";
import { choose } from "../../http/router/route.ts";
import { FileContentCache, type CacheableFile } from "./public-directory.ts";

describe("a small file", () => {
  let root = "";
  let server: Live;
  before(async () => {
    root = mkdtempSync(join(tmpdir(), "limmat-kept-"));
    server = await live({ router: choose([]), middlewares: [staticFile({ directory: root, prefix: "/files" })] });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}/files/${path}`, { headers });

  test("is answered from memory until its next inspection", { skip: isBun }, async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    writeFileSync(join(root, "a.txt"), "one");
    const first = await ask("a.txt");
    assert.equal(await first.text(), "one");
    writeFileSync(join(root, "a.txt"), "two");
    const second = await ask("a.txt");
    assert.deepEqual([await second.text(), second.headers.get("etag")], ["one", first.headers.get("etag")]);
    await clock.advance(1000);
    const third = await ask("a.txt");
    assert.equal(await third.text(), "two");
    assert.notEqual(third.headers.get("etag"), first.headers.get("etag"));
  });

  test("is 404 if it is deleted after it was seen, or cannot be read", async (context) => {
    context.after(TimeInternals.useClock(TimeInternals.fakeClock()));
    const name = join(root, "gone.txt");
    writeFileSync(name, "one");
    assert.equal((await ask("gone.txt", { range: "bytes=0-0" })).status, 206);
    rmSync(name);
    assert.equal((await ask("gone.txt")).status, 404);
    assert.equal((await ask("gone.txt?v=123456789012")).status, 404);

    writeFileSync(join(root, "secret.txt"), "one", { mode: 0 });
    // The superuser can read every file.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot && isBun) return context.skip("Bun cannot give up the rights of the superuser");
    if (isRoot) process.seteuid?.(65_534);
    try {
      assert.equal((await ask("secret.txt")).status, 404);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test("is read again for each request in development", async (context) => {
    Configuration.store([["FRAMEWORK_ENV", "development"]]);
    context.after(() => ConfigurationInternals.reset());
    context.after(TimeInternals.useClock(TimeInternals.fakeClock()));
    const developed = serve([staticFile({ directory: root, prefix: "/files" })], () => OwnResponse.text("no file"));
    for (const text of ["one", "three", "six"]) {
      writeFileSync(join(root, "d.txt"), text);
      const response = await developed("/files/d.txt");
      assert.deepEqual([response.headers.get("content-length"), await response.text()], [String(text.length), text]);
    }
  });

  test("is sent from memory like from disk: whole, in ranges, to HEAD", async () => {
    writeFileSync(join(root, "b.txt"), "0123456789");
    for (const _ of ["disk", "memory"]) {
      const part = await ask("b.txt", { range: "bytes=2-4" });
      assert.deepEqual([part.status, part.headers.get("content-range")], [206, "bytes 2-4/10"]);
      assert.equal(await part.text(), "234");
      const whole = await ask("b.txt");
      assert.deepEqual([whole.status, whole.headers.get("content-length")], [200, "10"]);
      assert.equal(await whole.text(), "0123456789");
      const head = await fetch(`http://127.0.0.1:${server.port}/files/b.txt`, { method: "HEAD" });
      assert.deepEqual([await head.text(), head.headers.get("content-length")], ["", "10"]);
    }
  });
});

describe("the content cache", () => {
  const stored = (path: string, size: number): CacheableFile => ({ path, size });

  test("evicts the oldest files beyond 16 MiB", () => {
    const kept = new FileContentCache();
    const files = Array.from({ length: 256 }, (_, at) => stored(`/${at}`, 64 * 1024));
    for (const file of files) kept.store(file, new Uint8Array(file.size));
    assert.equal(kept.find(files[0]!)?.length, 64 * 1024);
    const last = stored("/last", 1);
    kept.store(last, new Uint8Array(1));
    assert.deepEqual(
      [kept.find(files[0]!)?.length, kept.find(files[1]!)?.length, kept.find(last)?.length],
      [undefined, 65_536, 1],
    );
    // A file that is inspected again replaces its entry, and evicts nothing.
    const anew = stored("/1", 64 * 1024);
    kept.store(anew, new Uint8Array(64 * 1024));
    assert.deepEqual(
      [kept.find(files[1]!)?.length, kept.find(anew)?.length, kept.find(files[2]!)?.length],
      [undefined, 65_536, 65_536],
    );
  });

  test("ignores large files, and files of another size than inspected", () => {
    const kept = new FileContentCache();
    const [large, grown] = [stored("/large", 64 * 1024 + 1), stored("/grown", 3)];
    kept.store(large, new Uint8Array(large.size));
    kept.store(grown, new Uint8Array(4));
    assert.deepEqual([kept.find(large), kept.find(grown)], [undefined, undefined]);
  });
});
