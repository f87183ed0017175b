import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { Configuration } from "../../config/index.ts";
import { setProjectRoot } from "../../config/internal.ts";
import { TimeInternals } from "../../time/index.ts";
import { type Ask, isolate, serve } from "../application/fetch.test.ts";
import { service } from "../application/service.ts";
import { choose } from "../../http/router/route.ts";
import { staticFile, type StaticFileOptions } from "../middleware/static-file.ts";
import { Response } from "../../http/message/response.ts";
import { publicPrefix } from "../application/configuration.ts";
import { asset } from "./asset.ts";

const canary = "canary-4f1c";
const style = "body { color: black }\n".repeat(50);
const changed = new Date("2026-01-02T03:04:05.678Z");
const decompress = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };
let root = "";

isolate();

before(() => {
  root = mkdtempSync(join(tmpdir(), "limmat-static-"));
  const write = (path: string, content: string | Uint8Array): void => {
    writeFileSync(join(root, path), content);
    utimesSync(join(root, path), changed, changed);
  };
  mkdirSync(join(root, "public/css"), { recursive: true });
  mkdirSync(join(root, "public/.git"));
  mkdirSync(join(root, "public-secret"));
  write("secret.txt", canary);
  write("public-secret/secret.txt", canary);
  write("public/.env", canary);
  write("public/.git/config", canary);
  mkdirSync(join(root, "public/.well-known"));
  mkdirSync(join(root, "public/css/.well-known"));
  write("public/.well-known/security.txt", "Contact: mailto:a@example.com");
  write("public/.well-known/.hidden", canary);
  write("public/css/.well-known/a.txt", canary);
  symlinkSync(".git", join(root, "public/link-git"));
  write("public/css/.hidden.css", canary);
  write("public/app.css", style);
  write("public/app.css.br", brotliCompressSync(style));
  write("public/app.css.zst", zstdCompressSync(style));
  write("public/app.css.gz", gzipSync(style));
  write("public/css/page.css", "a{}");
  write("public/plain.txt", "0123456789");
  write("public/empty.txt", "");
  write("public/x", "one character");
  write("public/noending", "x");
  write('public/a "quoted" ünï 日本 #%?.txt', "unicode");
  write("public/app-3f2a9c1b.js", "1");
  write("public/index.html", "<h1>Index</h1>");
  write("public/some.js", "some");
  write("public/some.js.gz", gzipSync("some"));
  write("public/stale.js", "new");
  write("public/stale.js.gz", gzipSync("old"));
  utimesSync(join(root, "public/stale.js.gz"), new Date(0), new Date(0));
  symlinkSync(join(root, "secret.txt"), join(root, "public/link-out.txt"));
  symlinkSync(root, join(root, "public/link-out"));
  symlinkSync("plain.txt", join(root, "public/link-in.txt"));
  symlinkSync(".env", join(root, "public/link-hidden.txt"));
  symlinkSync("plain.txt", join(root, "public/.hidden-link.txt"));
  symlinkSync("loop", join(root, "public/loop"));
  symlinkSync(join(root, "secret.txt"), join(root, "public/plain.txt.gz"));
  execFileSync("mkfifo", [join(root, "public/fifo.txt")]);
});
after(() => rmSync(root, { recursive: true }));

function site(options: StaticFileOptions = {}): Ask {
  Configuration.store([["PUBLIC_DIR", join(root, "public")]]);
  return serve([staticFile({ directory: join(root, "public"), ...options })], (request) =>
    Response.text(`the router has ${request.path}`),
  );
}

async function get(
  path: string,
  headers: Record<string, string> = {},
  options: StaticFileOptions = {},
): Promise<globalThis.Response> {
  return await site(options)(path, { headers });
}

describe("a static file", () => {
  test("is served with its type, length, tag and date", async () => {
    const response = await get("/assets/app.css");
    assert.equal(response.status, 200);
    assert.equal(await response.text(), style);
    assert.equal(response.headers.get("content-type"), "text/css; charset=utf-8");
    assert.equal(response.headers.get("content-length"), String(style.length));
    assert.match(response.headers.get("etag") ?? "", /^"[\w-]+"$/);
    assert.equal(response.headers.get("last-modified"), "Fri, 02 Jan 2026 03:04:05 GMT");
    assert.equal(response.headers.get("cache-control"), "public, no-cache");
    assert.equal(response.headers.get("accept-ranges"), "bytes");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  });

  test("is served without content to HEAD", async () => {
    const response = await site()("/assets/app.css", { method: "HEAD" });
    assert.equal(response.headers.get("content-length"), String(style.length));
    assert.equal(await response.text(), "");
  });

  test("is served with any name", async () => {
    assert.equal(
      await (await get("/assets/a%20%22quoted%22%20%C3%BCn%C3%AF%20%E6%97%A5%E6%9C%AC%20%23%25%3F.txt")).text(),
      "unicode",
    );
    assert.equal((await get("/assets/noending")).headers.get("content-type"), "application/octet-stream");
    assert.equal((await get("/assets/css/page.css?v=1&x")).status, 200);
    assert.equal(await (await get("/assets/css/page.css?from=/page/")).text(), "a{}");
  });

  test("in .well-known is served at the root of the site, although other hidden files are not (RFC 8615)", async () => {
    const text = "Contact: mailto:a@example.com";
    assert.equal(await (await get("/.well-known/security.txt")).text(), text);
    assert.equal(await (await get("/assets/.well-known/security.txt")).text(), text);
    assert.match(await (await get("/.well-known/security.txt/")).text(), /^the router has/);
    const others = { directory: join(root, "public"), prefix: "/others" };
    assert.equal(await (await get("/others/.well-known/security.txt", {}, others)).text(), text);
    Configuration.store([["PUBLIC_URI_PREFIX", "/"]]);
    assert.equal(await (await get("/.well-known/security.txt")).text(), text);
  });

  test("may be empty", async () => {
    const response = await get("/assets/empty.txt", { range: "bytes=0-" });
    assert.equal(response.status, 416);
    const whole = await get("/assets/empty.txt");
    assert.equal(whole.headers.get("content-length"), "0");
    assert.equal(await whole.text(), "");
  });

  test("may be reached through a link inside the directory", async () => {
    assert.equal(await (await get("/assets/link-in.txt")).text(), "0123456789");
  });

  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    test(`answers ${method} with 405 and what it allows`, async () => {
      const response = await site()("/assets/plain.txt", { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get("allow"), "GET, HEAD, OPTIONS");
      assert.equal(
        await (await site()("/assets/missing.txt", { method })).text(),
        "the router has /assets/missing.txt",
      );
    });
  }

  test("answers another method with the error page of the application", async () => {
    const errorPage = (_request: unknown, { code, status }: { code?: string; status: number }): Response =>
      Response.text(`own page of ${code}`, { status });
    const middlewares = [staticFile({ directory: join(root, "public"), prefix: "/assets" })];
    const { fetch } = service({ router: choose([]), middlewares, errorPage });
    const response = await fetch(new globalThis.Request("http://localhost/assets/plain.txt", { method: "POST" }));
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
    assert.equal(await response.text(), "own page of E_METHOD_NOT_ALLOWED");
  });

  test("answers OPTIONS with what it allows", async () => {
    const response = await site()("/assets/plain.txt", { method: "OPTIONS" });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("allow"), "GET, HEAD, OPTIONS");
  });
});

describe("a path without a public file", () => {
  const paths = [
    "/assets",
    "/assets/missing.css",
    "/assets/css",
    "/assets/app.css/x",
    "/assets/plain.txt/y/z",
    "/assets/.env",
    "/assets/.git/config",
    "/assets/css/.hidden.css",
    "/assets/%2eenv",
    "/assets/..env",
    "/assets/...",
    "/assets/link-out.txt",
    "/assets/link-out/secret.txt",
    "/assets/link-hidden.txt",
    "/assets/.hidden-link.txt",
    "/assets/loop",
    "/assets/app.css/",
    "/assets/index.html/?v=1",
    "/assets/.well-known",
    "/assets/.well-known/",
    "/assets/.well-known/.hidden",
    "/assets/css/.well-known/a.txt",
    "/assets/link-git/config",
    "/.well-known/.hidden",
    "/.well-known/missing.txt",
    "/.well-known",
    "/assets/fifo.txt",
    "/assetsfoo/app.css",
    "/assets-secret/secret.txt",
    "/assets2/app.css",
    "/Assets/app.css",
    "/app.css",
    "/x/assets/app.css",
    `/assets/${"a".repeat(300)}`,
    `/assets/${"a/".repeat(2000)}b`,
  ];
  for (const path of paths) {
    test(`${path.slice(0, 40)} is left to the router`, async () => {
      const text = await (await get(path)).text();
      assert.match(text, /^the router has/);
    });
  }

  test("is a compressed version that leads outside or is older than its file", async () => {
    const gzip = { "accept-encoding": "gzip" };
    assert.equal(await (await get("/assets/plain.txt", gzip)).text(), "0123456789");
    const response = await get("/assets/stale.js", gzip);
    assert.equal(response.headers.get("content-encoding"), null);
    assert.equal(await response.text(), "new");
  });

  test("is every path if the directory is missing", async () => {
    Configuration.store([["PUBLIC_DIR", join(root, "nowhere")]]);
    assert.equal(await (await serve([], () => Response.text("the router"))("/assets/app.css")).text(), "the router");
  });
});

describe("the prefix of static files", () => {
  test("is a whole segment, of one or several parts, or the root", async () => {
    const options = { prefix: "/a/b" };
    assert.equal((await get("/a/b/plain.txt", {}, options)).headers.get("etag") === null, false);
    assert.match(await (await get("/a/bplain.txt", {}, options)).text(), /router/);
    assert.equal(await (await get("/plain.txt", {}, { prefix: "/" })).text(), "0123456789");
    assert.equal(await (await get("/x", {}, { prefix: "/" })).text(), "one character");
    assert.match(await (await get("/", {}, { prefix: "/" })).text(), /router/);
  });

  test("and the directory come from the configuration", async () => {
    Configuration.store([
      ["PUBLIC_DIR", join(root, "public")],
      ["PUBLIC_URI_PREFIX", "/files"],
    ]);
    const ask = serve([], () => Response.text("router"));
    assert.equal(await (await ask("/files/plain.txt")).text(), "0123456789");
    assert.equal(await (await ask("/assets/plain.txt")).text(), "router");
  });
});

describe("the configuration of static files", () => {
  test("is the folder public and the path /assets by default", async () => {
    setProjectRoot(root);
    const ask = serve([], () => Response.text("router"));
    assert.equal(await (await ask("/assets/plain.txt")).text(), "0123456789");
    Configuration.store([["PUBLIC_DIR", "public/css"]]);
    assert.equal(await (await ask("/assets/page.css")).text(), "a{}");
  });

  for (const prefix of ["/", "/a", "/a/b", "/a.b", "/~a", "/a-b_c"]) {
    test(`may be the path ${prefix}`, () => {
      Configuration.store([["PUBLIC_URI_PREFIX", prefix]]);
      assert.equal(publicPrefix(), prefix);
    });
  }

  for (const prefix of ["assets", "/assets/", "//", "/a b", "/a//b", "/../a", "/a?b", "https://cdn.example"]) {
    test(`may not be the path ${prefix}`, () => {
      Configuration.store([["PUBLIC_URI_PREFIX", prefix]]);
      assert.throws(publicPrefix, /PUBLIC_URI_PREFIX must start with a slash/);
    });
  }
});

describe("a conditional request for a file", () => {
  const path = "/assets/plain.txt";
  const tag = async (): Promise<string> => (await get(path)).headers.get("etag") ?? "";
  const status = async (headers: Record<string, string>): Promise<number> => (await get(path, headers)).status;
  const same = "Fri, 02 Jan 2026 03:04:05 GMT";
  const before2026 = "Thu, 01 Jan 2026 00:00:00 GMT";
  const future = "Fri, 02 Jan 2099 03:04:05 GMT";

  test("is answered with 304 for a matching tag: alone, in a list, weak, or by a star", async () => {
    const own = await tag();
    for (const value of [own, `"x", ${own}`, `W/${own}`, "*", `"a,b" , ${own} ,`]) {
      const response = await get(path, { "if-none-match": value });
      assert.equal(response.status, 304);
      assert.equal(response.headers.get("etag"), own);
      assert.equal(response.headers.get("cache-control"), "public, no-cache");
      assert.equal(response.headers.get("content-type"), null);
      assert.equal(await response.text(), "");
    }
    assert.equal(await status({ "if-none-match": '"other"' }), 200);
    assert.equal(await status({ "if-none-match": own.slice(1, -1) }), 200);
  });

  test("is answered with 304 when it has not changed since, and the tag goes first", async () => {
    const own = await tag();
    assert.equal(await status({ "if-modified-since": same }), 304);
    assert.equal(await status({ "if-modified-since": future }), 304);
    assert.equal(await status({ "if-modified-since": before2026 }), 200);
    assert.equal(await status({ "if-modified-since": "tomorrow" }), 200);
    assert.equal(await status({ "if-modified-since": future, "if-none-match": '"other"' }), 200);
    assert.equal(await status({ "if-modified-since": before2026, "if-none-match": own }), 304);
  });

  test("is answered with 412 when it has changed meanwhile", async () => {
    const own = await tag();
    assert.equal(await status({ "if-match": own }), 200);
    assert.equal(await status({ "if-match": "*" }), 200);
    assert.equal(await status({ "if-match": `W/${own}` }), 412);
    assert.equal(await status({ "if-match": '"other"' }), 412);
    assert.equal(await status({ "if-unmodified-since": same }), 200);
    assert.equal(await status({ "if-unmodified-since": before2026 }), 412);
    assert.equal(await status({ "if-unmodified-since": before2026, "if-match": own }), 200);
  });

  test("gets a new tag within a second after a change of the file", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    const ask = site();
    const file = join(root, "public/changing.txt");
    writeFileSync(file, "one");
    const first = (await ask("/assets/changing.txt")).headers.get("etag") ?? "";
    writeFileSync(file, "three");
    await clock.advance(999);
    assert.equal((await ask("/assets/changing.txt", { method: "HEAD" })).headers.get("etag"), first);
    await clock.advance(1);
    const response = await ask("/assets/changing.txt", { headers: { "if-none-match": first } });
    assert.equal(response.status, 200);
    assert.equal(await response.text(), "three");
    rmSync(file);
    await clock.advance(1001);
    assert.match(await (await ask("/assets/changing.txt")).text(), /router/);
  });
});

describe("a range of a file", () => {
  const path = "/assets/plain.txt";

  for (const [range, text, described] of [
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-2", "89", "bytes 8-9/10"],
    ["bytes=9-99", "9", "bytes 9-9/10"],
    ["bytes=-99", "0123456789", "bytes 0-9/10"],
  ] as const) {
    test(`${range} is that part`, async () => {
      const response = await get(path, { range });
      assert.equal(response.status, 206);
      assert.equal(response.headers.get("content-range"), described);
      assert.equal(response.headers.get("content-length"), String(text.length));
      assert.equal(await response.text(), text);
    });
  }

  for (const range of ["bytes=10-", "bytes=-0", "bytes=9999999999-"]) {
    test(`${range} is not satisfiable`, async () => {
      const response = await get(path, { range });
      assert.equal(response.status, 416);
      assert.equal(response.headers.get("content-range"), "bytes */10");
      assert.equal(await response.text(), "");
    });
  }

  for (const range of [
    "bytes=5-1",
    "bytes=0-1,3-4",
    Array.from({ length: 1000 }, () => "0-").join(","),
    "lines=1-2",
    "x",
  ]) {
    test(`${range.slice(0, 20)} is ignored`, async () => {
      const response = await get(path, { range });
      assert.equal(response.status, 200);
      assert.equal(await response.text(), "0123456789");
    });
  }

  test("is sent only if the client has the same version", async () => {
    const { headers } = await get(path);
    const status = async (condition: string): Promise<number> =>
      (await get(path, { range: "bytes=0-1", "if-range": condition })).status;
    const tag = headers.get("etag") ?? "";
    assert.equal(await status(tag), 206);
    assert.equal(await status(headers.get("last-modified") ?? ""), 206);
    assert.equal(await status(`W/${tag}`), 200);
    assert.equal(await status('"other"'), 200);
    assert.equal(await status("Fri, 02 Jan 2099 03:04:05 GMT"), 200);
    assert.equal(await status("Thu, 01 Jan 2026 00:00:00 GMT"), 200);
  });

  test("is for GET only, and comes after the conditions", async () => {
    const head = await site()(path, { method: "HEAD", headers: { range: "bytes=0-1" } });
    assert.equal(head.status, 200);
    assert.equal((await get(path, { range: "bytes=0-1", "if-none-match": "*" })).status, 304);
  });
});

describe("a file with precompressed versions", () => {
  const path = "/assets/app.css";

  for (const [accept, coding] of [
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["zstd, gzip", "zstd"],
    ["gzip", "gzip"],
    ["br;q=0.1, gzip;q=0.9", "gzip"],
    ["deflate", null],
    ["br;q=0", null],
  ] as const) {
    test(`is sent as ${coding ?? "it is"} for ${accept}`, async () => {
      const response = await get(path, { "accept-encoding": accept });
      assert.equal(response.headers.get("content-encoding"), coding);
      assert.equal(response.headers.get("content-type"), "text/css; charset=utf-8");
      assert.equal(response.headers.get("vary"), "accept-encoding");
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(response.headers.get("content-length"), String(bytes.length));
      assert.equal((coding === null ? bytes : decompress[coding](bytes)).toString(), style);
    });
  }

  test("needs precompressed versions: without any, the response does not vary", async () => {
    const response = await get("/assets/css/page.css", { "accept-encoding": "br, zstd, gzip" });
    assert.equal(response.headers.get("vary"), null);
    assert.equal(response.headers.get("content-encoding"), null);
    const some = await get("/assets/some.js", { "accept-encoding": "br, zstd, gzip" });
    assert.equal(some.headers.get("vary"), "accept-encoding");
    assert.equal(some.headers.get("content-encoding"), "gzip");
  });

  test("has a separate tag for each version, and ranges of the sent bytes", async () => {
    const tags = new Set<string | null>();
    for (const coding of ["br", "zstd", "gzip", "identity"])
      tags.add((await get(path, { "accept-encoding": coding })).headers.get("etag"));
    assert.equal(tags.size, 4);
    const size = gzipSync(style).length;
    const part = await get(path, { "accept-encoding": "gzip", range: "bytes=0-1" });
    assert.equal(part.headers.get("content-range"), `bytes 0-1/${size}`);
    assert.equal(part.headers.get("content-encoding"), "gzip");
  });

  test("is a 304 with Vary for a matching tag of the same version", async () => {
    const { headers } = await get(path, { "accept-encoding": "br" });
    const known = { "if-none-match": headers.get("etag") ?? "" };
    const response = await get(path, { ...known, "accept-encoding": "br" });
    assert.equal(response.status, 304);
    assert.equal(response.headers.get("vary"), "accept-encoding");
    assert.equal((await get(path, { ...known, "accept-encoding": "gzip" })).status, 200);
  });
});

describe("the URL of an asset", () => {
  const immutable = "public, max-age=31536000, immutable";

  test("holds a fingerprint, and is cached for a year", async () => {
    const ask = site();
    const address = asset("app.css");
    assert.match(address, /^\/assets\/app\.css\?v=[\w-]{12}$/);
    const response = await ask(address);
    assert.equal(response.headers.get("cache-control"), immutable);
    assert.equal(await response.text(), style);
  });

  test("is valid in a process that has not created it", async () => {
    const fingerprint = hash("sha256", "a{}", "base64url").slice(0, 12);
    const response = await get(`/assets/css/page.css?v=${fingerprint}`);
    assert.equal(response.headers.get("cache-control"), immutable);
  });

  test("changes with the file, even if its size stays", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    const ask = site();
    const file = join(root, "public/same-size.js");
    writeFileSync(file, "1");
    const first = asset("same-size.js");
    writeFileSync(file, "2");
    utimesSync(file, changed, changed);
    await clock.advance(1000);
    const second = asset("same-size.js");
    assert.notEqual(second, first);
    assert.equal((await ask(first)).headers.get("cache-control"), "public, no-cache");
    assert.equal((await ask(second)).headers.get("cache-control"), immutable);
    rmSync(file);
  });

  test("with another fingerprint is served, and not cached for long", async () => {
    for (const address of ["/assets/app.css?v=AAAAAAAAAAAA", "/assets/app.css?v=", "/assets/app.css?x=1&v=1"]) {
      assert.equal((await get(address)).headers.get("cache-control"), "public, no-cache");
    }
  });

  test("changes within a second after the file", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    site();
    const file = join(root, "public/changing.js");
    writeFileSync(file, "1");
    const first = asset("changing.js");
    assert.equal(asset("changing.js"), first);
    truncateSync(file);
    assert.equal(asset("changing.js"), first);
    await clock.advance(1000);
    assert.notEqual(asset("changing.js"), first);
    rmSync(file);
  });

  test("has the prefixes of the configuration, and its name encoded", () => {
    site();
    Configuration.store([
      ["PUBLIC_URI_PREFIX", "/files"],
      ["PREFIX_PATH", "/shop"],
    ]);
    assert.match(asset("css/page.css"), /^\/shop\/files\/css\/page\.css\?v=/);
    assert.match(
      asset('a "quoted" ünï 日本 #%?.txt'),
      /^\/shop\/files\/a%20%22quoted%22%20%C3%BCn%C3%AF%20%E6%97%A5%E6%9C%AC%20%23%25%3F\.txt\?v=/,
    );
  });

  test("of a file that is missing is an error that names it", () => {
    site();
    assert.throws(() => asset("missing.css"), /E_ASSET_MISSING|missing\.css/);
  });

  test("with a fingerprint of a bundler in its name is cached for a year", async () => {
    assert.equal((await get("/assets/app-3f2a9c1b.js")).headers.get("cache-control"), immutable);
  });
});
