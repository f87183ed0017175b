import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, mock, test } from "node:test";
import { Schema } from "../../schema/index.ts";
import { memory } from "../../services/storage/index.ts";
import { waitFor } from "../../testing/index.ts";
import { live, notOnBun, statusOf, wire } from "../server/live.test.ts";
import { bodyLimit } from "../../web/middleware/limits.ts";
import { site } from "../../web/middleware/index.ts";
import { Response } from "../message/response.ts";
import { choose, post } from "../router/route.ts";
import { boundary, fieldHeader, fileHeader, formOf, requestOf } from "./form.test.ts";
import type { Upload } from "./part.ts";

const outside = process.env["TMPDIR"];
let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "limmat-test-"));
  process.env["TMPDIR"] = folder;
});
after(() => {
  if (outside === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = outside;
  rmSync(folder, { recursive: true });
});

const png = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1");
const type = `multipart/form-data; boundary=${boundary}`;

describe("an upload", () => {
  const body = formOf(
    [fieldHeader("title"), "A photo"],
    [fileHeader("photo", "../a.png", "image/png"), png],
    [fileHeader("more", "b.txt"), "x".repeat(200_000)],
    [fieldHeader("public"), "on"],
    [fieldHeader("tags"), "red"],
    [fieldHeader("tags"), "blue"],
    [fieldHeader("place.city"), "Bern"],
  );

  test("writes a file in blocks, however small the chunks are", async () => {
    const content = "x".repeat(200_000);
    const sent = formOf([fileHeader("photo", "a.txt"), content]);
    const chunks = Array.from({ length: Math.ceil(sent.length / 10) }, (_, at) => sent.subarray(at * 10, at * 10 + 10));
    await using handle = await open(import.meta.filename);
    const writes = mock.method(Object.getPrototypeOf(handle) as typeof handle, "writeFile");
    try {
      await requestOf(chunks).upload(({ file }) => {
        assert.equal(readFileSync(file("photo")?.path ?? "", "utf8"), content);
      });
      assert.ok(writes.mock.callCount() <= 5, `${writes.mock.callCount()} writes`);
    } finally {
      writes.mock.restore();
    }
  });

  test("gives fields as a form does, and files that exist until the callback has finished", async () => {
    const schema = Schema.record({
      title: Schema.string({ min: 1 }),
      public: Schema.bool(),
      tags: Schema.list(Schema.string()),
      place: Schema.record({ city: Schema.string() }),
    });
    const storage = memory();
    await storage.start({ services: [] });
    const paths = await requestOf([body]).upload(async ({ fields, files, file }) => {
      assert.deepEqual(schema.decode(fields).value, {
        title: "A photo",
        public: true,
        tags: ["red", "blue"],
        place: { city: "Bern" },
      });
      assert.equal(file("none"), undefined);
      const photo = file("photo") ?? assert.fail();
      const { name, filename, contentType, size, imageType } = photo;
      assert.deepEqual([name, filename, contentType, size], ["photo", "a.png", "image/png", png.length]);
      assert.equal(imageType, "image/png");
      assert.deepEqual(readFileSync(photo.path), png);
      assert.equal(statSync(photo.path).mode & 0o077, 0);
      const stored = await storage.put(photo);
      assert.deepEqual([stored.filename, stored.contentType, stored.size], ["a.png", "image/png", png.length]);
      assert.deepEqual(await storage.readAll(stored.id), png);
      assert.equal((await storage.put(photo, { filename: "c.png" })).filename, "c.png");
      return files.map(({ path }) => path);
    });
    assert.equal(paths.length, 2);
    assert.deepEqual(paths.filter(existsSync), []);
    assert.deepEqual(readdirSync(folder), []);
    await storage.stop();
  });

  test("leaves no files if its callback fails, if it is incomplete, or if a limit is exceeded", async () => {
    let worked = 0;
    const work = (): void => void (worked += 1);
    await assert.rejects(
      requestOf([body]).upload(() => Promise.reject(new Error("no"))),
      /no/,
    );
    await assert.rejects(requestOf([body.subarray(0, -20)]).upload(work), { code: "E_BODY_MALFORMED" });
    await assert.rejects(requestOf([body]).upload(work, { maxFiles: 1 }), { code: "E_TOO_MANY_FILES" });
    await assert.rejects(requestOf([body]).upload(work, { maxFileBytes: 100_000 }), { code: "E_FILE_TOO_LARGE" });
    assert.deepEqual([worked, readdirSync(folder)], [0, []]);
  });

  test("accepts that its callback has removed the files", async () => {
    await requestOf([body]).upload(({ files }) => {
      for (const { path } of files) rmSync(dirname(path), { recursive: true, force: true });
    });
    assert.deepEqual(readdirSync(folder), []);
  });

  test("detects common image formats by their first bytes, whatever their names", async () => {
    const starts: readonly (readonly [string, string | undefined])[] = [
      ["\xff\xd8\xff\xe0", "image/jpeg"],
      ["GIF89a", "image/gif"],
      ["GIF87a", "image/gif"],
      ["RIFF\0\0\0\0WEBPVP8 ", "image/webp"],
      ["\0\0\0\x20ftypavif", "image/avif"],
      ["\0\0\0\x20ftypavis", "image/avif"],
      ["\0\0\0\x20ftypmp42", undefined],
      ["RIFF\0\0\0\0WAVE", undefined],
      ["<svg xmlns='http://www.w3.org/2000/svg'>", undefined],
      ["<!-- \x89PNG\r\n\x1a\n", undefined],
      ["\x89PNG\r\n", undefined],
      [" \x89PNG\r\n\x1a\n", undefined],
      [" \xff\xd8\xff", undefined],
      [" GIF89a", undefined],
      ["", undefined],
    ];
    for (const [start, expected] of starts) {
      const form = formOf([fileHeader("f", "a.png", "image/png"), Buffer.from(start, "latin1")]);
      // One byte at a time, so that the signature spans several chunks.
      const chunks = [...form].map((byte) => Uint8Array.of(byte));
      assert.equal(await requestOf(chunks).upload(({ file }) => file("f")?.imageType), expected, start);
    }
  });
});

describe("an upload over a socket", () => {
  const sizes = ({ fields, files }: Upload): Response => Response.json([fields, files.map(({ size }) => size)]);
  const definition = {
    router: choose(
      [
        post("/small", (request) => request.upload(sizes)),
        choose([post("/large", (request) => request.upload(sizes, { maxFileBytes: 20_000_000 }))], {
          middlewares: [bodyLimit(30_000_000)],
        }),
        post("/parts", async (request) => {
          for await (const part of request.parts({ maxFileBytes: 1000 }))
            if (part.kind === "file") for await (const _ of part);
          return Response.text("all");
        }),
        post("/form", async (request) => Response.json(await request.form())),
      ],
      { middlewares: site() },
    ),
  };
  const large = formOf([fieldHeader("a"), "1"], [fileHeader("f", "f"), Buffer.alloc(5_000_000)]);
  const head = `POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${large.length}\r\n\r\n`;

  test("is held to the limit of its route, chunked or not, although its first fields are read before", async () => {
    await using server = await live(definition, [["FRAMEWORK_ENV", "test"]]);
    const init = { method: "POST", duplex: "half" as const, headers: { "content-type": type } };
    const ask = async (asking: Promise<globalThis.Response>): Promise<void> => {
      const response = await asking;
      assert.deepEqual([response.status, await response.json()], [200, [[["a", "1"]], [5_000_000]]]);
    };
    const url = `http://127.0.0.1:${server.port}/large`;
    await ask(fetch(url, { ...init, body: new Uint8Array(large) }));
    await ask(fetch(url, { ...init, body: new Blob([new Uint8Array(large)]).stream() }));
    await ask(server.http.fetch(new globalThis.Request(url, { ...init, body: new Uint8Array(large) })));
    assert.deepEqual(readdirSync(folder), []);
  });

  test("over a limit is answered with 413 and its code, and leaves no files", async () => {
    await using server = await live(definition, [["FRAMEWORK_ENV", "test"]]);
    const headOf = (path: string, length: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`;
    const start = `--${boundary}\r\n${fileHeader("f", "f")}\r\n\r\n`;
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const chunked = "Transfer-Encoding: chunked";
    const much = "x".repeat(2_000_000);
    for (const [path, length, sent, code] of [
      ["/small", `Content-Length: ${large.length}`, start, "E_BODY_TOO_LARGE"],
      ["/small", chunked, chunk(start) + chunk(much), "E_BODY_TOO_LARGE"],
      ["/parts", chunked, chunk(start) + chunk(much), "E_FILE_TOO_LARGE"],
      ["/parts", "Content-Length: 900000", start + "x".repeat(5000), "E_FILE_TOO_LARGE"],
    ] as const) {
      const answer = await server.talk(headOf(path, length) + sent);
      assert.equal(statusOf(answer), 413, path);
      assert.match(answer, new RegExp(`"code":"${code}"`));
      assert.match(answer, /\r\nconnection: close\r\n/i);
    }
    assert.equal(
      statusOf(await server.talk(wire("POST", "/form", { "content-type": type, "content-length": "0" }))),
      415,
    );
    assert.deepEqual([readdirSync(folder), server.logged.slice(2)], [[], []]);
  });

  test(
    "is followed by another request on its connection, read to its end or not",
    notOnBun("Bun pipelines nothing"),
    async () => {
      await using server = await live(definition, [["FRAMEWORK_ENV", "test"]]);
      const sent = (path: string, body: Buffer, more: Record<string, string> = {}): string =>
        wire(
          "POST",
          path,
          { connection: "keep-alive", "content-type": type, "content-length": `${body.length}`, ...more },
          body.toString("latin1"),
        );
      const small = formOf([fieldHeader("a"), "1"], [fileHeader("f", "f"), "x".repeat(2000)]);
      const answer = await server.talk(sent("/small", small) + sent("/small", small, { connection: "close" }));
      assert.equal(answer.match(/\[\[\["a","1"\]\],\[2000\]\]/g)?.length, 2);
      const refused = await server.talk(sent("/parts", small) + sent("/small", small, { connection: "close" }));
      assert.match(refused, /^HTTP\/1\.1 413 [^]*HTTP\/1\.1 200 /);
    },
  );

  test("of a client that disconnects or is too slow leaves no files", async (t) => {
    {
      await using server = await live({ ...definition, limits: { bodyTimeoutMs: 100 } }, [["FRAMEWORK_ENV", "test"]]);
      const slow = await server.talk(head + large.toString("latin1", 0, 40));
      assert.equal(statusOf(slow), 408);
      assert.deepEqual([readdirSync(folder), server.logged.slice(2)], [[], []]);
    }
    await using server = await live(definition, [["FRAMEWORK_ENV", "test"]]);
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(head);
    socket.write(large.subarray(0, 100_000));
    await waitFor(() => readdirSync(folder).length > 0, t);
    socket.destroy();
    await waitFor(() => readdirSync(folder).length === 0, t);
    assert.deepEqual(server.logged.slice(2), []);
  });

  test("may take longer than a body that is read completely", notOnBun("Bun knows no such limit"), async (t) => {
    await using server = await live({ ...definition, limits: { requestTimeoutMs: 1 } }, [["FRAMEWORK_ENV", "test"]]);
    const socket = connect(server.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => (answer += data.toString("latin1")));
    socket.write(head.replace("Host: localhost", "Host: localhost\r\nConnection: close"));
    socket.write(large.subarray(0, 100_000));
    await waitFor(() => readdirSync(folder).length > 0, t);
    socket.write(large.subarray(100_000));
    await once(socket, "close");
    assert.equal(statusOf(answer), 200);
  });
});
