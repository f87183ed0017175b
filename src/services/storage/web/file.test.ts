// Stored files over HTTP.
import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { App, Cleaner, Configuration, Random, Storage, Web } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import { capturedLog, type CapturedLog } from "limmat/testing";
import { contentDisposition } from "../../../http/message/index.ts";

const storage = Storage.memory();
const options: Readonly<Record<string, Storage.Web.FileOptions>> = {
  saved: {},
  shown: { inline: true },
  svg: { inline: ["image/svg+xml"] },
  named: { filename: "invoice.pdf", cacheControl: "private, max-age=60" },
};
const router = Web.choose(
  [
    Web.get("/files/:variant/:id", (request) =>
      Storage.Web.file(request, storage, request.params.id, options[request.params.variant]),
    ),
    Web.post("/files", (request) => upload(request)),
  ],
  { middlewares: [Web.Middleware.bodyLimit(10_000_000)] },
);

async function upload(request: Web.Request): Promise<Web.Response> {
  const filename = request.query.get("name") ?? "";
  const contentType = request.header("content-type") ?? "";
  const { id } = await storage.put(request.body, { filename, contentType });
  return Web.Response.text(id, { status: 201 });
}

suite("a stored file", () => {
  let app: App.Application;
  let log: CapturedLog;
  const http = Web.Http.service({ router, dependencies: () => [storage], limits: { maxEventLoopDelayMs: 0 } });

  before(async () => {
    Configuration.store([
      ["FRAMEWORK_ENV", "test"],
      ["PORT", "0"],
    ]);
    log = capturedLog();
    app = App.create({ services: [http] });
    await app.start();
  });
  after(async () => {
    await app.stop();
    log[Symbol.dispose]();
    ConfigurationInternals.reset();
  });
  beforeEach(() => Cleaner.cleanAll());

  const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<globalThis.Response> =>
    app.request(path, { headers, method });
  const storeFile = (contentType: string, filename = "file"): Promise<Storage.StoredFile> =>
    storage.put("0123456789", { contentType, filename });

  test("is sent in full, as an attachment, with nosniff", async () => {
    const { id, checksum, created_at } = await storeFile("image/png", "a.png");
    const response = await ask(`/files/saved/${id}`);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), "0123456789");
    const { headers } = response;
    assert.equal(headers.get("content-type"), "image/png");
    assert.equal(headers.get("content-length"), "10");
    assert.equal(headers.get("content-disposition"), 'attachment; filename="a.png"');
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "private, no-cache");
    assert.equal(headers.get("etag"), `"${checksum}"`);
    assert.equal(headers.get("last-modified"), created_at.toUTCString());
    assert.equal(headers.get("accept-ranges"), "bytes");
  });

  test("supports ranges and conditional requests", async () => {
    const { id, checksum } = await storeFile("video/mp4");
    const path = `/files/saved/${id}`;
    const part = await ask(path, { range: "bytes=2-5" });
    assert.deepEqual([part.status, await part.text()], [206, "2345"]);
    assert.deepEqual([part.headers.get("content-range"), part.headers.get("content-length")], ["bytes 2-5/10", "4"]);
    assert.equal(await (await ask(path, { range: "bytes=-3" })).text(), "789");
    assert.equal((await ask(path, { range: "bytes=10-" })).status, 416);
    assert.equal(await (await ask(path, { range: "bytes=2-5", "if-range": '"other"' })).text(), "0123456789");
    const same = await ask(path, { "if-none-match": `"${checksum}"` });
    assert.deepEqual([same.status, await same.text()], [304, ""]);
    assert.equal((await ask(path, { "if-match": '"other"' })).status, 412);
  });

  test("may be empty", async () => {
    const { id } = await storage.put("");
    const response = await ask(`/files/saved/${id}`);
    assert.deepEqual([response.status, await response.text()], [200, ""]);
    assert.equal((await ask(`/files/saved/${id}`, { range: "bytes=0-" })).status, 416);
  });

  test("is displayed inline if its type is passive and `inline` is true", async () => {
    for (const type of [
      "image/png",
      "IMAGE/JPEG",
      "video/mp4",
      "audio/mpeg",
      "application/pdf",
      "text/plain; charset=utf-8",
    ]) {
      const { id } = await storeFile(type);
      const { headers } = await ask(`/files/shown/${id}`);
      assert.match(headers.get("content-disposition") ?? "", /^inline;/, type);
    }
  });

  test("of an active type is an attachment, or in a sandbox if its type is listed", async () => {
    const active = [
      "text/html",
      "TEXT/HTML; charset=utf-8",
      "image/svg+xml",
      "application/xhtml+xml",
      "text/xml",
      "application/xml",
      "text/javascript",
      "application/pdf+html",
      "image/svg+xml;image/png",
      "text/html,image/png",
      "multipart/x-mixed-replace",
      "",
    ];
    for (const type of active) {
      const { id } = await storeFile(type);
      const { headers } = await ask(`/files/shown/${id}`);
      assert.match(headers.get("content-disposition") ?? "", /^attachment;/, type);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    }
    const { id } = await storeFile("image/svg+xml");
    const { headers } = await ask(`/files/svg/${id}`);
    assert.match(headers.get("content-disposition") ?? "", /^inline;/);
    assert.match(headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
    const { id: png } = await storeFile("image/png");
    assert.match((await ask(`/files/svg/${png}`)).headers.get("content-disposition") ?? "", /^attachment;/);
  });

  test("may be sent with another filename and cache policy", async () => {
    const { id } = await storeFile("application/pdf", "Rechnung Nr. 1.pdf");
    const { headers } = await ask(`/files/named/${id}`);
    assert.equal(headers.get("content-disposition"), 'attachment; filename="invoice.pdf"');
    assert.equal(headers.get("cache-control"), "private, max-age=60");
  });

  test("that does not exist is 404, and no URL reaches other files", async () => {
    for (const id of [Random.uuid(), "x", "..%2f..%2fetc%2fpasswd", "x%00"]) {
      const { status } = await ask(`/files/saved/${id}`);
      assert.ok(status === 404 || status === 400, `${id}: ${status}`);
    }
  });

  test("is stored from a streamed request body, and sent over a socket with its length", async () => {
    const address = http.address();
    assert.ok(address !== undefined && "port" in address);
    const base = `http://127.0.0.1:${String(address.port)}`;
    const body = Buffer.alloc(3_000_000, "0123456789");
    const headers = { "content-type": "application/zip" };
    const created = await fetch(`${base}/files?name=C:%5Cmy%5Cphotos.zip`, { method: "POST", body, headers });
    assert.equal(created.status, 201);
    const id = await created.text();
    assert.deepEqual((await storage.find(id)).filename, "photos.zip");
    const whole = await fetch(`${base}/files/saved/${id}`);
    assert.equal(whole.headers.get("content-length"), "3000000");
    assert.ok(body.equals(Buffer.from(await whole.arrayBuffer())));
    const head = await fetch(`${base}/files/saved/${id}`, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, "3000000"]);
    const tooLarge = await fetch(`${base}/files`, { method: "POST", body: Buffer.alloc(10_000_001) });
    assert.equal(tooLarge.status, 413);
    let count = 0;
    for await (const _ of storage.list()) count += 1;
    assert.equal(count, 1);
  });
});

suite("Content-Disposition", () => {
  for (const [filename, expected] of [
    ["a.png", 'attachment; filename="a.png"'],
    ["two words.txt", 'attachment; filename="two words.txt"'],
    ['a"b\\c%41.txt', "attachment; filename=\"a_b_c_41.txt\"; filename*=UTF-8''a%22b%5Cc%2541.txt"],
    [
      "Grüße (1)*'.pdf",
      "attachment; filename=\"Gr__e (1)*'.pdf\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29%2A%27.pdf",
    ],
    ["💡.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%F0%9F%92%A1.txt"],
    ["a\r\nset-cookie: x", "attachment; filename=\"a__set-cookie: x\"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x"],
  ] as const) {
    test(`of ${JSON.stringify(filename)}`, () => assert.equal(contentDisposition("attachment", filename), expected));
  }
});
