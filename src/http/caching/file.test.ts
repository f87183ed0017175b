import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { waitFor } from "../../testing/index.ts";
import { FileBody } from "../message/fetch-response.ts";
import { Request } from "../message/request.ts";
import { type FileInit, Response } from "../message/response.ts";
import { completeFile } from "./file.ts";
import { formatHttpDate } from "./precondition.ts";

const changedMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
let root = "";

before(() => {
  root = mkdtempSync(join(tmpdir(), "limmat-file-"));
  mkdirSync(join(root, "files/folder"), { recursive: true });
  for (const name of ["secret.txt", "files/a.txt"]) {
    writeFileSync(join(root, name), "0123456789");
    utimesSync(join(root, name), new Date(changedMs), new Date(changedMs));
  }
  symlinkSync("../secret.txt", join(root, "files/out.txt"));
});
after(() => rmSync(root, { recursive: true }));

/** Completes the response with a file, for a request with these headers and this method. */
function complete(
  path: string,
  init: FileInit = {},
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Response> {
  const response = Response.file(path, init);
  const request = Request.from(new globalThis.Request("http://localhost/", { headers, method }));
  assert.ok(response.body instanceof FileBody);
  return completeFile(request, response, response.body);
}

/** Returns the status, the first byte and the number of bytes, and the value of a header. */
function outcome(response: Response, name: string): readonly unknown[] {
  const { status, body } = response;
  return [status, body instanceof FileBody ? [body.start, body.length] : body, response.header(name)];
}

describe("a response with a whole file", () => {
  const file = (): string => join(root, "files/a.txt");

  test("gets the size of the file and its validators", async () => {
    const response = await complete(file());
    assert.deepEqual(outcome(response, "content-length"), [200, [0, 10], "10"]);
    assert.equal(response.header("last-modified"), formatHttpDate(changedMs));
    assert.match(response.header("etag") ?? "", /^"a-[0-9a-z]+-[0-9a-z]+"$/);
    assert.equal(response.header("content-type"), "text/plain; charset=utf-8");
  });

  test("has another tag after a change to the same size, at the same time of modification", async (t) => {
    const path = join(root, "files/same.txt");
    const write = (text: string): void => {
      writeFileSync(path, text);
      utimesSync(path, new Date(changedMs), new Date(changedMs));
    };
    write("first");
    const first = await complete(path);
    const tag = first.header("etag") ?? "";
    // The file system counts the time of a change in ticks of some milliseconds.
    const other = await waitFor(async () => {
      write("other");
      const response = await complete(path, {}, { "if-none-match": tag });
      return response.status === 200 && response;
    }, t);
    assert.notEqual(other.header("etag"), tag);
    assert.equal(other.header("last-modified"), first.header("last-modified"));
    assert.equal((await complete(path, {}, { range: "bytes=1-", "if-range": tag })).status, 200);
  });

  test("keeps its own validators, and compares these", async () => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    const own = { headers: { etag: '"own"', "last-modified": date } };
    const response = await complete(file(), own);
    assert.deepEqual([response.header("etag"), response.header("last-modified")], ['"own"', date]);
    assert.equal((await complete(file(), own, { "if-none-match": '"own"' })).status, 304);
    assert.equal((await complete(file(), own, { "if-modified-since": date })).status, 304);
    assert.equal((await complete(file(), own, { "if-unmodified-since": date })).status, 200);
    assert.equal((await complete(file(), {}, { "if-unmodified-since": date })).status, 412);
  });

  test("is a range, for GET only", async () => {
    const range = { range: "bytes=2-4" };
    assert.deepEqual(outcome(await complete(file(), {}, range), "content-range"), [206, [2, 3], "bytes 2-4/10"]);
    assert.deepEqual(outcome(await complete(file(), {}, range, "HEAD"), "content-range"), [200, [0, 10], undefined]);
  });

  test("without content has no headers that describe it", async () => {
    const headers = { "content-language": "en", "content-length": "10", "x-other": "1" };
    const response = await complete(file(), { headers }, { "if-none-match": "*" });
    assert.deepEqual(outcome(response, "x-other"), [304, undefined, "1"]);
    for (const name of ["content-language", "content-length", "content-type"])
      assert.equal(response.header(name), undefined, name);
    const refused = await complete(file(), { headers }, { range: "bytes=10-" });
    assert.deepEqual(outcome(refused, "content-range"), [416, undefined, "bytes */10"]);
  });

  test("has no conditions if it has another status, or answers another method", async () => {
    const condition = { "if-none-match": "*" };
    assert.deepEqual(outcome(await complete(file(), { status: 404 }, condition), "etag"), [404, [0, 10], undefined]);
    assert.deepEqual(outcome(await complete(file(), {}, condition, "POST"), "etag"), [200, [0, 10], undefined]);
    assert.equal((await complete(file(), {}, condition, "HEAD")).status, 304);
  });
});

test("a response with a part of a file keeps this part, and has no validators", async () => {
  for (const [part, expected] of [
    [{ start: 2 }, [2, undefined]],
    [{ length: 3 }, [0, 3]],
    [{ start: 2, length: 3 }, [2, 3]],
  ] as const) {
    const response = await complete(join(root, "files/a.txt"), part, { range: "bytes=0-0" });
    assert.deepEqual(outcome(response, "etag"), [200, expected, undefined]);
  }
});

describe("a response with a file that cannot be sent", () => {
  test("is E_NOT_FOUND, whose cause names a file that the application chose", async () => {
    for (const path of [join(root, "missing.txt"), join(root, "files/a.txt/x")])
      await assert.rejects(complete(path), ({ code, cause }: Error & { code?: string }) => {
        assert.deepEqual([code, (cause as { code?: string }).code], ["E_NOT_FOUND", "E_FILE_UNREADABLE"]);
        assert.ok((cause as Error).message.includes(path));
        return true;
      });
    await assert.rejects(complete(join(root, "files")), { code: "E_NOT_FOUND" });
  });

  test("is E_NOT_FOUND without a cause for a path of the client in a directory", async () => {
    const directory = join(root, "files");
    for (const path of ["missing.txt", "out.txt", "folder", "a.txt/x"])
      await assert.rejects(complete(path, { directory }), ({ code, cause }: Error & { code?: string }) => {
        assert.deepEqual([path, code, cause], [path, "E_NOT_FOUND", undefined]);
        return true;
      });
    assert.equal((await complete("a.txt", { directory })).status, 200);
  });

  test("is E_FILE_UNREADABLE for any other error of the file system", async () => {
    await assert.rejects(complete("a\0b"), { code: "E_FILE_UNREADABLE" });
    await assert.rejects(complete("a.txt", { directory: "a\0b" }), { code: "E_FILE_UNREADABLE" });
  });
});
