import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { type Ask, isolate, serve } from "../application/fetch.test.ts";
import { nonce, securityHeaders, type SecurityHeadersOptions } from "./security-headers.ts";
import { Request } from "../../http/message/request.ts";
import { Response, toResponse } from "../../http/message/response.ts";
import { get } from "../../http/router/route.ts";
import { service } from "../application/service.ts";

isolate();

const ask: Ask = serve([], (request) => {
  if (request.path === "/broken") throw new Error("broken");
  if (request.path === "/nonce") return Response.text(`${nonce(request)} ${nonce(request)}`);
  return Response.text("page");
});
const policyOf = (response: globalThis.Response): string => response.headers.get("content-security-policy") ?? "";

/** Returns the headers of a page behind this middleware alone. */
async function headersOf(options?: SecurityHeadersOptions, given: Record<string, string> = {}): Promise<Headers> {
  const handler = securityHeaders(options)(() => Response.text("", { headers: given }));
  const request = Request.from(new globalThis.Request("https://example.com/"));
  return toResponse(await handler(request)).toStandard().headers;
}

describe("the security headers", () => {
  test("are on every response: pages, errors, unknown paths, refused requests", async () => {
    for (const [path, method] of [
      ["/", "GET"],
      ["/", "HEAD"],
      ["/broken", "GET"],
      ["/", "OPTIONS"],
      ["/%", "GET"],
      ["/a//b", "GET"],
    ] as const) {
      const { headers, status } = await ask(path, { method });
      assert.equal(headers.get("x-content-type-options"), "nosniff", `${path} ${status}`);
      assert.equal(headers.get("referrer-policy"), "strict-origin-when-cross-origin");
      assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
      assert.match(headers.get("content-security-policy") ?? "", /base-uri 'none'/);
      assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors '(?:none|self)'/);
    }
  });

  test("allow content of this origin, and nothing inline", async () => {
    const policy = policyOf(await ask("/"));
    for (const directive of ["default-src 'self'", "object-src 'none'", "script-src 'self'", "style-src 'self'"]) {
      assert.ok(policy.split("; ").includes(directive), directive);
    }
    assert.doesNotMatch(policy, /unsafe|nonce/);
  });

  test("allow the nonce of a page, a new one for each request", async () => {
    const response = await ask("/nonce");
    const [first = "", second] = (await response.text()).split(" ");
    assert.match(first, /^[\w-]{22}$/);
    assert.equal(second, first);
    assert.ok(policyOf(response).includes(`script-src 'self' 'nonce-${first}'`));
    assert.ok(policyOf(response).includes(`style-src 'self' 'nonce-${first}'`));
    assert.ok(!policyOf(await ask("/nonce")).includes(first));
    assert.doesNotMatch(policyOf(await ask("/")), /nonce/);
  });

  test("require https for two years, in production over https only", async () => {
    const name = "strict-transport-security";
    assert.equal((await headersOf()).get(name), null);
    Configuration.store([["FRAMEWORK_ENV", "production"]]);
    assert.equal((await headersOf()).get(name), "max-age=63072000");
    const plain = await securityHeaders()(() => Response.text(""))(
      Request.from(new globalThis.Request("http://example.com/")),
    );
    assert.equal(toResponse(plain).header(name), undefined);
  });

  test("require https for subdomains if the application says so", async () => {
    Configuration.store([["FRAMEWORK_ENV", "production"]]);
    const headers = await headersOf({ includeSubDomains: true });
    assert.equal(headers.get("strict-transport-security"), "max-age=63072000; includeSubDomains");
  });

  test("require nothing, or another time, if the application says so, in any spelling of the name", async () => {
    Configuration.store([["FRAMEWORK_ENV", "production"]]);
    const name = "Strict-Transport-Security";
    for (const spelling of [name, name.toLowerCase()]) {
      assert.equal((await headersOf({ headers: { [spelling]: "max-age=0" } })).get(name), "max-age=0");
      assert.equal((await headersOf({ headers: { [spelling]: undefined } })).get(name), null);
    }
    assert.equal((await headersOf({ headers: { "Referrer-Policy": undefined } })).get("referrer-policy"), null);
  });

  test("of the application are on its error pages as well, so that no page takes back what another one says", async () => {
    Configuration.store([
      ["FRAMEWORK_ENV", "production"],
      ["FRAMEWORK_SECRET", "a-secret-of-32-bytes-at-the-least-0123456789"],
    ]);
    const { fetch } = service({
      router: get("/broken", () => {
        throw new Error("broken");
      }),
      middlewares: [securityHeaders(), securityHeaders({ includeSubDomains: true, headers: { "x-extra": "1" } })],
    });
    for (const [path, status] of [
      ["/broken", 500],
      ["/unknown", 404],
    ] as const) {
      const response = await fetch(new globalThis.Request(`https://example.com${path}`));
      assert.equal(response.status, status);
      assert.equal(response.headers.get("strict-transport-security"), "max-age=63072000; includeSubDomains", path);
      assert.equal(response.headers.get("x-extra"), "1");
    }
  });

  test("do not replace headers of the response", async () => {
    const headers = await headersOf(undefined, {
      "Content-Security-Policy": "default-src 'none'",
      "Referrer-Policy": "no-referrer",
    });
    assert.equal(headers.get("content-security-policy"), "default-src 'none'");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
  });

  test("can be changed, added and removed", async () => {
    const headers = await headersOf({
      contentSecurityPolicy: { "img-src": "*", "form-action": undefined, "upgrade-insecure-requests": "" },
      headers: {
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": undefined,
        "permissions-policy": "camera=()",
      },
    });
    const directives = headers.get("content-security-policy")?.split("; ") ?? [];
    assert.ok(directives.includes("img-src *"));
    assert.ok(directives.includes("upgrade-insecure-requests"));
    assert.ok(!directives.some((directive) => directive.startsWith("form-action")));
    assert.equal(headers.get("referrer-policy"), "same-origin");
    assert.equal(headers.get("cross-origin-opener-policy"), null);
    assert.equal(headers.get("permissions-policy"), "camera=()");
    assert.equal((await headersOf({ contentSecurityPolicy: false })).get("content-security-policy"), null);
  });

  test("report by a second policy, which has the nonce of the page, and to an endpoint", async () => {
    const options: SecurityHeadersOptions = {
      contentSecurityPolicy: false,
      reportOnlyPolicy: { "img-src": "'none'" },
      reportUrl: "/policy-reports",
    };
    const handler = securityHeaders(options)((request) => Response.text(nonce(request)));
    const response = toResponse(await handler(Request.from(new globalThis.Request("https://example.com/"))));
    const directives = response.header("content-security-policy-report-only")?.split("; ") ?? [];
    for (const directive of [
      "default-src 'self'",
      "img-src 'none'",
      `script-src 'self' 'nonce-${response.body as string}'`,
      "report-uri /policy-reports",
      "report-to csp",
    ]) {
      assert.ok(directives.includes(directive), directive);
    }
    assert.equal(response.header("reporting-endpoints"), 'csp="/policy-reports"');
    assert.equal(response.header("content-security-policy"), undefined);
    const both = await headersOf({ reportOnlyPolicy: {}, reportUrl: "https://reports.example/a" });
    assert.equal(both.get("content-security-policy"), both.get("content-security-policy-report-only"));
    assert.match(
      both.get("content-security-policy") ?? "",
      /; report-uri https:\/\/reports\.example\/a; report-to csp$/,
    );
    assert.equal((await headersOf()).get("content-security-policy-report-only"), null);
  });

  test("cannot contain a line break", () => {
    assert.throws(() => securityHeaders({ headers: { "x-a": "1\r\nset-cookie: a=b" } }), /x-a/);
    assert.throws(() => securityHeaders({ contentSecurityPolicy: { "img-src": "*\r\nx: y" } }));
  });
});
