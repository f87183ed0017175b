// Contract of the HTTP service, tested without a socket and over a real one.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { html } from "../../html/index.ts";
import type { Middleware } from "../router/handler.ts";
import { mapResponse } from "../router/handler.ts";
import { Response } from "../message/response.ts";
import { any, choose, get, head, post, query as queryRoute, type Router } from "../router/route.ts";
import { isBun, type Live, live } from "./live.test.ts";
import type { HttpDefinition } from "../../web/application/service.ts";

type Ask = (path: string, init?: RequestInit) => Promise<globalThis.Response>;
type Way = (server: Live) => Ask;

const ways: Record<string, Way> = {
  "without a socket":
    ({ http }) =>
    (path, init) =>
      http.fetch(new globalThis.Request(new URL(path, "http://localhost"), init)),
  "over a socket":
    ({ port }) =>
    (path, init) =>
      fetch(new URL(path, `http://127.0.0.1:${port}`), { redirect: "manual", ...init }),
};

const form = (body: string): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": "application/x-www-form-urlencoded" },
});
const json = (body: string | Uint8Array<ArrayBuffer>): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": "application/json" },
});

for (const [name, way] of Object.entries(ways)) {
  describe(`the HTTP service, ${name}`, () => {
    const withService = (
      title: string,
      definition: Router | HttpDefinition,
      body: (ask: Ask, server: Live) => Promise<void>,
      settings?: readonly (readonly [string, string])[],
    ): void => {
      test(title, async () => {
        await using server = await live("routes" in definition ? { router: definition } : definition, settings);
        await body(way(server), server);
      });
    };

    withService(
      "sends text, JSON, pages, bytes, streams and nothing at all",
      choose([
        get("/text", () => Response.text("grüß dich")),
        get("/json", () => Response.json({ a: [1, "日"] })),
        get("/html", () => Response.html(html`<p>${"<b>"}</p>`)),
        get("/bytes", () => Response.bytes(new Uint8Array([0, 255]), { headers: { "content-type": "image/png" } })),
        get("/stream", () => Response.stream(["a", Buffer.from("b"), "ü"])),
        get("/empty", () => Response.empty()),
        get("/standard", () => new globalThis.Response("standard", { status: 202, headers: { "x-own": "1" } })),
      ]),
      async (ask) => {
        const told = async (path: string): Promise<unknown[]> => {
          const response = await ask(path);
          return [
            response.status,
            response.headers.get("content-type"),
            response.headers.get("content-length"),
            await response.text(),
          ];
        };
        assert.deepEqual(await told("/text"), [200, "text/plain; charset=utf-8", "11", "grüß dich"]);
        assert.deepEqual(await told("/json"), [200, "application/json", "15", '{"a":[1,"日"]}']);
        assert.deepEqual(await told("/html"), [200, "text/html; charset=utf-8", "16", "<p>&lt;b&gt;</p>"]);
        assert.deepEqual((await told("/bytes")).slice(0, 3), [200, "image/png", "2"]);
        // Bun sends the length of a stream that is complete before its first byte is sent.
        const length = isBun ? "4" : null;
        assert.deepEqual(await told("/stream"), [200, null, name === "over a socket" ? length : null, "abü"]);
        assert.deepEqual(await told("/empty"), [204, null, null, ""]);
        const standard = new globalThis.Response("standard").headers.get("content-type");
        assert.deepEqual((await told("/standard")).toSpliced(2, 1), [202, standard, "standard"]);
      },
    );

    withService(
      "passes the body of QUERY to its route, and refuses one without a type",
      queryRoute("/search", async (request) => Response.json([request.method, await request.json()])),
      async (ask) => {
        const response = await ask("/search", { ...json('{"words":"sea"}'), method: "QUERY" });
        assert.deepEqual([response.status, await response.json()], [200, ["QUERY", { words: "sea" }]]);
        assert.equal((await ask("/search", { method: "QUERY", body: new Uint8Array([1]) })).status, 415);
        const { status, headers } = await ask("/search");
        assert.deepEqual([status, headers.get("allow")], [405, "QUERY, OPTIONS"]);
      },
    );

    withService(
      "answers HEAD with the headers of GET and no body",
      choose([
        get("/text", () => Response.text("grüß dich")),
        get("/stream", () => Response.stream(["a"])),
        get("/nothing", () => Response.text("")),
        get("/own", () => Response.text("get")),
        head("/own", () => Response.empty(200, { headers: { "x-own": "1" } })),
      ]),
      async (ask) => {
        for (const path of ["/text", "/stream", "/nothing"]) {
          const [got, headed] = [await ask(path), await ask(path, { method: "HEAD" })];
          assert.equal(headed.status, got.status);
          for (const field of isBun && path === "/stream" ? ["content-type"] : ["content-type", "content-length"])
            assert.equal(headed.headers.get(field), got.headers.get(field), path);
          assert.equal(await headed.text(), "");
        }
        assert.equal((await ask("/own", { method: "HEAD" })).headers.get("x-own"), "1");
      },
    );

    withService(
      "answers other methods with 405 and Allow, and OPTIONS with 204",
      get("/a", () => Response.text("a")),
      async (ask) => {
        const refused = await ask("/a", { method: "DELETE" });
        assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
        const options = await ask("/a", { method: "OPTIONS" });
        assert.deepEqual(
          [options.status, options.headers.get("allow"), options.headers.get("content-length")],
          [204, "GET, HEAD, OPTIONS", null],
        );
      },
    );

    withService(
      "gives handlers parameters, query, cookies, headers and the body",
      choose([
        any("/echo/:a/*rest", async (request) =>
          Response.json({
            ...request.params,
            method: request.method,
            path: request.path,
            query: [...request.query],
            cookie: request.cookie("c"),
            header: request.header("X-One"),
            body: await request.text(),
          }),
        ),
      ]),
      async (ask) => {
        const response = await ask("/echo/%C3%BC/x/y/?q=1&q=2", {
          method: "PUT",
          body: "hello",
          headers: { cookie: "b=1; c=2", "x-one": "1" },
        });
        assert.deepEqual(await response.json(), {
          a: "ü",
          rest: "x/y",
          method: "PUT",
          path: "/echo/ü/x/y",
          query: [
            ["q", "1"],
            ["q", "2"],
          ],
          cookie: "2",
          header: "1",
          body: "hello",
        });
      },
    );

    withService(
      "reads forms, and refuses what is none",
      {
        router: post("/form", async (request) => Response.json(await request.form())),
        limits: { maxBodyBytes: 20_000 },
      },
      async (ask) => {
        assert.deepEqual(await (await ask("/form", form("a=1&a=2&b=%C3%BC+x&__proto__=y&=z"))).json(), [
          ["a", "1"],
          ["a", "2"],
          ["b", "ü x"],
          ["__proto__", "y"],
          ["", "z"],
        ]);
        assert.equal((await ask("/form", form("a=%zz"))).status, 400);
        assert.equal((await ask("/form", form("a=%ff"))).status, 400);
        assert.equal((await ask("/form", form("a=1&".repeat(999)))).status, 200);
        assert.equal((await ask("/form", form("a=1&".repeat(1001)))).status, 400);
        assert.equal((await ask("/form", json("{}"))).status, 415);
        assert.equal((await ask("/form", { method: "POST", body: new FormData() })).status, 415);
        assert.equal((await ask("/form", form("a".repeat(20_001)))).status, 413);
      },
    );

    withService(
      "reads JSON, and refuses what is none",
      post("/json", async (request) => Response.json({ value: await request.json() })),
      async (ask) => {
        const valueOf = async (body: string): Promise<unknown> =>
          ((await (await ask("/json", json(body))).json()) as { value: unknown }).value;
        assert.deepEqual(await valueOf('{"a":[1,null]}'), { a: [1, null] });
        assert.deepEqual(await valueOf(`{"__proto__":{"admin":true},"a":{"\\u005f_proto__":1,"b":2}}`), {
          a: { b: 2 },
        });
        assert.equal(({} as { admin?: boolean }).admin, undefined);
        for (const body of ["", "{", "{'a':1}", "\ufeff{}", "01", "NaN"])
          assert.equal((await ask("/json", json(body))).status, 400, body);
        assert.equal((await ask("/json", json(new Uint8Array([0x22, 0xff, 0x22])))).status, 400);
        assert.equal((await ask("/json", form("{}"))).status, 415);
        const deep = await ask("/json", json("[".repeat(100_000)));
        assert.equal(deep.status, 400);
      },
    );

    withService(
      "answers broken queries with 400 on every route, and too many parameters where they are read",
      choose([get("/", () => Response.text("")), get("/query", ({ query }) => Response.json([...query]))]),
      async (ask) => {
        assert.equal((await ask("/?a=%ff")).status, 400);
        assert.equal((await ask("/?a=%")).status, 400);
        assert.deepEqual(await (await ask("/query?a=1&&=x&b")).json(), [
          ["a", "1"],
          ["", "x"],
          ["b", ""],
        ]);
        assert.equal((await ask(`/query?${"a&".repeat(1000)}`)).status, 400);
        assert.equal((await ask(`/query?${"a&".repeat(999)}`)).status, 200);
      },
    );

    withService(
      "turns whatever a handler does wrong into a 500 that says nothing, and goes on",
      choose([
        get("/throws", () => {
          throw new Error("secret detail");
        }),
        // oxlint-disable-next-line typescript/only-throw-error -- handlers may throw anything
        get("/throws-undefined", () => {
          throw undefined;
        }),
        get("/rejects", () => Promise.reject(new Error("secret detail"))),
        get("/nothing", (() => undefined) as never),
        get("/garbage", (async () => ({ status: 200 })) as never),
        get("/null", (async () => null) as never),
        get("/header", () => Response.text("", { headers: { "x-a": "b\r\nx-c: d" } })),
        get("/fine", () => Response.text("fine")),
      ]),
      async (ask, server) => {
        for (const path of ["/throws", "/throws-undefined", "/rejects", "/nothing", "/garbage", "/null", "/header"]) {
          const response = await ask(path);
          assert.equal(response.status, 500, path);
          assert.equal(response.headers.get("x-c"), null);
          assert.equal(response.headers.get("x-content-type-options"), "nosniff");
          assert.doesNotMatch(await response.text(), /secret detail/);
        }
        assert.equal(server.logged.filter((line) => line.startsWith("The request failed")).length, 7);
        assert.equal(await (await ask("/fine")).text(), "fine");
      },
      [
        ["FRAMEWORK_ENV", "production"],
        ["FRAMEWORK_SECRET", "0123456789012345678901234567890123456789"],
      ],
    );

    withService(
      "speaks of errors in HTML to people and in problem documents to programs",
      get("/a", () => Response.text("a")),
      async (ask) => {
        const page = await ask("/b");
        assert.deepEqual([page.status, page.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
        assert.match(await page.text(), /<h1>Page not found<\/h1>/);
        const problem = await ask("/b", { headers: { accept: "application/json" } });
        assert.deepEqual([problem.status, problem.headers.get("content-type")], [404, "application/problem+json"]);
        const { type, status, code, requestId } = (await problem.json()) as Record<string, unknown>;
        assert.deepEqual(
          [type, status, code, requestId],
          ["about:blank", 404, "E_NOT_FOUND", problem.headers.get("x-request-id")],
        );
      },
    );

    withService(
      "lets an application make its own pages for what is not found and for what failed",
      {
        router: get("/fails", () => Promise.reject(new Error("x"))),
        notFound: (request) => Response.text(`no ${request.path}`),
        errorPage: (_request, { status, title, detail }) => Response.text(`own ${title}: ${detail}`, { status }),
      },
      async (ask) => {
        const missing = await ask("/a");
        assert.deepEqual([missing.status, await missing.text()], [404, "no /a"]);
        const failed = await ask("/fails");
        assert.deepEqual(
          [failed.status, await failed.text()],
          [500, "own Something went wrong: The error has been recorded. Please try again in a moment."],
        );
      },
    );

    const trace: string[] = [];
    const mark =
      (label: string): Middleware =>
      (handler) =>
      (request) => {
        trace.push(`${label} in`);
        return mapResponse(handler(request), (response) => {
          trace.push(`${label} out`);
          return response;
        });
      };
    const shared = mark("both");
    withService(
      "runs global middlewares for every request, scoped ones on a match only, each once, around the handler",
      {
        middlewares: [mark("global"), shared],
        router: choose(
          [
            get("/a", () => {
              trace.push("handler");
              return Response.text("a");
            }),
          ],
          { middlewares: [shared, mark("scoped")] },
        ),
      },
      async (ask) => {
        trace.length = 0;
        await ask("/a");
        assert.deepEqual(trace, [
          "global in",
          "both in",
          "scoped in",
          "handler",
          "scoped out",
          "both out",
          "global out",
        ]);
        trace.length = 0;
        await ask("/nothing");
        assert.deepEqual(trace, ["global in", "both in", "both out", "global out"]);
      },
    );

    withService(
      "serves everything below the prefix and nothing outside of it",
      choose([get("/", ({ prefix }) => Response.text(`home ${prefix}`)), get("/a", ({ path }) => Response.text(path))]),
      async (ask) => {
        assert.equal(await (await ask("/shop/a")).text(), "/a");
        assert.equal(await (await ask("/shop")).text(), "home /shop");
        assert.equal(await (await ask("/shop/")).text(), "home /shop");
        for (const path of ["/", "/a", "/shopping/a", "/shopa"]) assert.equal((await ask(path)).status, 404, path);
      },
      [["PREFIX_PATH", "/shop"]],
    );

    test(`sends files and ranges of files`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "limmat-"));
      try {
        const [small, large] = [join(folder, "small.txt"), join(folder, "large.bin")];
        await writeFile(small, "0123456789");
        await writeFile(large, Buffer.alloc(300_000, "x"));
        await using server = await live({
          router: choose([
            get("/small", () => Response.file(small)),
            get("/part", () => Response.file(small, { start: 2, length: 3, status: 206 })),
            get("/large", () => Response.file(large)),
          ]),
        });
        const ask = way(server);
        const whole = await ask("/small");
        assert.deepEqual(
          [whole.headers.get("content-type"), await whole.text()],
          ["text/plain; charset=utf-8", "0123456789"],
        );
        const part = await ask("/part");
        assert.deepEqual([part.status, await part.text()], [206, "234"]);
        assert.equal((await (await ask("/large")).arrayBuffer()).byteLength, 300_000);
        assert.equal(await (await ask("/large", { method: "HEAD" })).text(), "");
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test("answers conditions and ranges of a file, and 404 without one", async () => {
      const folder = await mkdtemp(join(tmpdir(), "limmat-"));
      try {
        const path = join(folder, "a.txt");
        await writeFile(path, "0123456789");
        const tag: Middleware = (handler) => (request) =>
          mapResponse(handler(request), (response) => response.withHeader("x-mark", "1"));
        await using server = await live({
          router: choose(
            [
              get("/a", () => Response.file(path, { headers: { "cache-control": "private" } })),
              get("/tagged", () => Response.file(path, { headers: { etag: '"own"' } })),
              get("/part", () => Response.file(path, { start: 2, length: 3 })),
              get("/failed", () => Response.file(path, { status: 404 })),
              get("/missing", () => Response.file(join(folder, "missing.txt"))),
              get("/folder", () => Response.file(folder)),
              post("/a", () => Response.file(path)),
            ],
            { middlewares: [tag] },
          ),
        });
        const ask = way(server);
        const whole = await ask("/a");
        const [etag, modified] = ["etag", "last-modified"].map((header) => whole.headers.get(header) ?? "");
        assert.match(etag ?? "", /^"[\w-]+"$/);
        assert.ok(Date.parse(modified ?? "") > 0);
        assert.equal(whole.headers.get("accept-ranges"), "bytes");
        const outcome = async (asked: string, headers: Record<string, string | undefined>, method = "GET") => {
          const response = await ask(asked, { headers: headers as Record<string, string>, method });
          return [response.status, await response.text(), response.headers.get("content-range")];
        };
        assert.deepEqual(await outcome("/a", { range: "bytes=2-4" }), [206, "234", "bytes 2-4/10"]);
        assert.deepEqual(await outcome("/a", { range: "bytes=-3", "if-range": etag }), [206, "789", "bytes 7-9/10"]);
        assert.deepEqual(await outcome("/a", { range: "bytes=2-4", "if-range": '"x"' }), [200, "0123456789", null]);
        assert.deepEqual(await outcome("/a", { range: "bytes=10-" }), [416, "", "bytes */10"]);
        assert.deepEqual(await outcome("/a", { "if-none-match": etag }), [304, "", null]);
        assert.deepEqual(await outcome("/a", { "if-none-match": etag }, "HEAD"), [304, "", null]);
        assert.deepEqual(await outcome("/a", { "if-modified-since": modified }), [304, "", null]);
        assert.deepEqual(await outcome("/a", { "if-match": '"x"' }), [412, "", null]);
        assert.deepEqual(await outcome("/tagged", { "if-none-match": '"own"' }), [304, "", null]);
        assert.deepEqual(await outcome("/part", { range: "bytes=0-0" }), [200, "234", null]);
        assert.deepEqual(await outcome("/failed", { "if-none-match": etag }), [404, "0123456789", null]);
        assert.deepEqual(await outcome("/a", { range: "bytes=0-0", "if-none-match": etag }, "POST"), [
          200,
          "0123456789",
          null,
        ]);
        const current = await ask("/a", { headers: { "if-none-match": etag ?? "" } });
        const sent = ["cache-control", "etag", "x-mark", "content-type"].map((header) => current.headers.get(header));
        assert.deepEqual(sent, ["private", etag, "1", null]);
        for (const missing of ["/missing", "/folder"]) assert.equal((await ask(missing)).status, 404, missing);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test("sends the files of a directory by a path of the request, and nothing outside of it", async () => {
      const folder = await mkdtemp(join(tmpdir(), "limmat-"));
      try {
        const directory = join(folder, "files");
        await mkdir(join(directory, "a/.git"), { recursive: true });
        await writeFile(join(directory, "a/b.txt"), "0123456789");
        await writeFile(join(folder, "secret.txt"), "secret");
        await writeFile(join(directory, ".env"), "secret");
        await writeFile(join(directory, "a/.git/config"), "secret");
        await symlink(join(folder, "secret.txt"), join(directory, "out.txt"));
        await symlink(folder, join(directory, "out"));
        await symlink("a/b.txt", join(directory, "in.txt"));
        const guard: Middleware = (handler) => (request) =>
          request.query.has("key") ? handler(request) : Response.text("Who are you?", { status: 401 });
        await using server = await live({
          router: choose(
            [
              get("/files/*path", ({ params }) => Response.file(params.path, { directory })),
              get("/query", ({ query }) => Response.file(query.get("path") ?? "", { directory, start: 1, length: 2 })),
            ],
            { middlewares: [guard] },
          ),
        });
        const ask = way(server);
        assert.equal((await ask("/files/a/b.txt")).status, 401);
        const response = await ask("/files/a/b.txt?key=1");
        assert.deepEqual([response.status, await response.text()], [200, "0123456789"]);
        const part = await ask("/files/in.txt?key=1", { headers: { range: "bytes=0-1" } });
        assert.deepEqual([part.status, await part.text()], [206, "01"]);
        assert.equal(await (await ask("/query?key=1&path=a/b.txt")).text(), "12");
        for (const path of [".env", "a/.git/config", "out.txt", "out/secret.txt", "a", "missing.txt"])
          assert.equal((await ask(`/files/${path}?key=1`)).status, 404, path);
        for (const path of [
          "",
          "..",
          "../secret.txt",
          "a/../../secret.txt",
          "/etc/passwd",
          "out.txt",
          "a\\b",
          "a\0b",
          "a//b.txt",
        ])
          assert.equal((await ask(`/query?key=1&path=${encodeURIComponent(path)}`)).status, 404, path);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });
}
