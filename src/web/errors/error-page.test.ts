import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { isError } from "../../core/index.ts";
import { html } from "../../html/index.ts";
import { type Request, Response } from "../../http/message/index.ts";
import { choose, get } from "../../http/router/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { type HttpDefinition, service } from "../application/service.ts";
import * as Flash from "../flash/flash.ts";
import { failure, type ExplainedFailure } from "./failure.ts";
import { error, type ErrorReport } from "../middleware/error.ts";
import { flash } from "../middleware/flash.ts";

const log = isolate();

type Ask = (path: string, init?: RequestInit) => Promise<globalThis.Response>;

const router = choose([
  get("/", () => Response.text("start")),
  get("/without-flash", (request) => Response.text(Flash.notice(request) ?? "")),
  get("/refused", () => {
    throw failure(403);
  }),
  get("/save", () => Flash.setNotice("Saved", Response.redirect("/refused-with-flash")), { middlewares: [flash()] }),
  get("/refused-with-flash", () => Promise.reject(failure(403)), { middlewares: [flash()] }),
]);

const client = (definition: Omit<HttpDefinition, "router">): Ask => {
  const { fetch } = service({ router, ...definition });
  return (path, init) => fetch(new globalThis.Request(new URL(path, "http://localhost"), init));
};

/** Sets the environment `production`, which the tests of this module otherwise do not have. */
function useProduction(): void {
  Configuration.store([
    ["FRAMEWORK_ENV", "production"],
    ["FRAMEWORK_SECRET", "a-secret-of-production-that-is-long-enough"],
  ]);
}

const logged = (): readonly unknown[] =>
  log.entries.filter(({ level }) => level === "error").map(({ message, fields }) => [message, fields["path"]]);

describe("an error page with a layout that shows flash messages", () => {
  const errorPage = (request: Request, { status, title }: ExplainedFailure): Response =>
    Response.html(html`<title>${Flash.alert(request) && "Error: "}${title}</title>${Flash.notice(request)}`, {
      status,
    });

  for (const environment of ["test", "production"]) {
    test(`is shown for a path without a route, under ${environment}`, async () => {
      if (environment === "production") useProduction();
      const response = await client({ errorPage })("/missing");
      assert.deepEqual([response.status, await response.text()], [404, "<title>Page not found</title>"]);
      assert.deepEqual(logged(), []);
    });
  }

  test("is shown for another method and a failure of a handler", async () => {
    const ask = client({ errorPage });
    assert.match(await (await ask("/", { method: "POST" })).text(), /<title>Not possible here/);
    assert.match(await (await ask("/refused")).text(), /<title>Not allowed/);
    assert.deepEqual(logged(), []);
  });

  test("shows the messages of a route with the flash middleware", async () => {
    const ask = client({ errorPage });
    const [cookie = ""] = (await ask("/save")).headers.getSetCookie();
    const response = await ask("/refused-with-flash", { headers: { cookie: cookie.split(";", 1)[0] ?? "" } });
    assert.deepEqual([response.status, await response.text()], [403, "<title>Not allowed</title>Saved"]);
  });

  test("can be the page of `notFound`", async () => {
    const notFound = (request: Request): Response => errorPage(request, { status: 200, title: "Gone", detail: "" });
    const response = await client({ notFound })("/missing");
    assert.deepEqual([response.status, await response.text()], [404, "<title>Gone</title>"]);
  });

  test("does not hide a route that lacks the flash middleware", async () => {
    const response = await client({ errorPage })("/without-flash");
    assert.deepEqual([response.status, await response.text()], [500, "<title>Something went wrong</title>"]);
    assert.deepEqual(logged(), [["The request failed", "/without-flash"]]);
    assert.ok(isError(log.entries.at(-1)?.error, "E_FLASH_MISSING"));
  });
});

describe("an error page that throws", () => {
  const cause = new Error("no navigation");
  const failed = new Error("no database");
  const refuse = (): never => {
    throw failure(404);
  };
  const errorPage = (): Response => {
    throw cause;
  };

  for (const environment of ["test", "production"]) {
    test(`is replaced by the built-in page with the same status, under ${environment}`, async () => {
      if (environment === "production") useProduction();
      const ask = client({ errorPage });
      for (const [path, status, title] of [
        ["/missing", 404, "Page not found"],
        ["/refused", 403, "Not allowed"],
      ] as const) {
        log.entries.length = 0;
        const response = await ask(path);
        assert.equal(response.status, status);
        const page = await response.text();
        assert.match(page, new RegExp(`<h1>${title}</h1>`));
        assert.doesNotMatch(page, /navigation/);
        assert.deepEqual(logged(), [
          [`errorPage failed while it showed ${status}, so the built-in page was sent`, path],
        ]);
        assert.equal(log.entries.find(({ level }) => level === "error")?.error, cause);
      }
    });
  }

  for (const [path, reported] of [
    ["/missing", [cause]],
    ["/refused", [cause]],
    ["/broken", [failed, cause]],
  ] as const) {
    for (const place of ["service", "route"] as const) {
      test(`is reported once, after the error that it should show: ${path}, reporters of the ${place}`, async () => {
        const reports: ErrorReport[] = [];
        const middlewares = [error({ reporters: [(report) => void reports.push(report)] }), error()];
        const routes = choose([router, get("/broken", () => Promise.reject(failed))], { middlewares });
        const { fetch } = service({
          errorPage,
          router: place === "route" ? choose([routes, get("/*path", refuse)], { middlewares }) : routes,
          middlewares: place === "service" ? middlewares : [],
        });
        const { headers } = await fetch(new globalThis.Request(`http://localhost${path}?secret=1`));
        const requestId = headers.get("x-request-id");
        assert.deepEqual(
          reports,
          reported.map((thrown) => ({ error: thrown, requestId, method: "GET", path })),
        );
      });
    }
  }

  test("keeps the headers of the failure, and JSON for clients that prefer it", async () => {
    const ask = client({ errorPage });
    const method = await ask("/", { method: "POST" });
    assert.deepEqual([method.status, method.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
    const problem = await ask("/missing", { headers: { accept: "application/json" } });
    assert.deepEqual([problem.status, problem.headers.get("content-type")], [404, "application/problem+json"]);
  });

  test("or returns no response is logged after the error that it should show", async () => {
    const response = await client({ errorPage: () => undefined as never })("/without-flash");
    assert.equal(response.status, 500);
    assert.deepEqual(logged(), [
      ["The request failed", "/without-flash"],
      ["errorPage failed while it showed 500, so the built-in page was sent", "/without-flash"],
    ]);
    assert.ok(isError(log.entries.at(-1)?.error, "E_RESPONSE_MISSING"));
  });
});
