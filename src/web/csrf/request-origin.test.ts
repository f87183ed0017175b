import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Request } from "../../http/message/index.ts";
import { isSafeMethod, originSet, senderOf } from "./request-origin.ts";

type Row = readonly [method: string, site: string | undefined, origin: string | undefined, isForeign: boolean];

// Results of Go's http.CrossOriginProtection for the host example.com: its test tables, then similar cases.
const rows: readonly Row[] = [
  ["POST", "same-origin", undefined, false],
  ["POST", "none", undefined, false],
  ["POST", "cross-site", undefined, true],
  ["POST", "same-site", undefined, true],
  ["POST", undefined, undefined, false],
  ["POST", undefined, "https://example.com", false],
  ["POST", undefined, "https://attacker.example", true],
  ["POST", undefined, "null", true],
  ["GET", "cross-site", undefined, false],
  ["HEAD", "cross-site", undefined, false],
  ["OPTIONS", "cross-site", undefined, false],
  ["PUT", "cross-site", undefined, true],
  ["POST", "cross-site", "https://attacker.example", true],
  ["POST", "cross-site", "https://trusted.example", false],
  ["POST", undefined, "https://trusted.example", false],
  ["POST", undefined, "http://example.com", false],
  ["POST", undefined, "https://EXAMPLE.com", false],
  ["POST", undefined, "https://example.com:8443", true],
  ["POST", undefined, "https://example.com.attacker.example", true],
  ["POST", undefined, "https://attacker.example/example.com", true],
  ["POST", undefined, "https://example.com@attacker.example", true],
  ["POST", undefined, "https://sub.example.com", true],
  ["POST", undefined, "example.com", true],
  ["POST", undefined, "://example.com", true],
  ["POST", undefined, "x://example.com", false],
  ["POST", undefined, "", true],
  ["POST", undefined, "https://", true],
  ["POST", undefined, "https://trusted.example.attacker.example", true],
  ["POST", undefined, "http://trusted.example", true],
  ["POST", undefined, "https://TRUSTED.example", true],
  ["POST", "same-site", "https://trusted.example", false],
  ["POST", "same-site", "https://example.com", true],
  ["POST", "cross-site", "https://example.com", true],
  ["POST", "cross-site", "null", true],
  ["POST", "Same-Origin", undefined, true],
  ["POST", "same-origin, cross-site", undefined, true],
  ["POST", "", undefined, true],
  ["POST", "unknown", undefined, true],
  ["POST", "same-origin", "https://attacker.example", false],
  ["POST", "none", "null", false],
  ["PUT", undefined, "https://attacker.example", true],
  ["PATCH", "cross-site", undefined, true],
  ["PATCH", undefined, "https://attacker.example", true],
  ["PATCH", "same-origin", undefined, false],
  ["DELETE", "cross-site", undefined, true],
  ["DELETE", undefined, "null", true],
  ["DELETE", "same-origin", undefined, false],
  ["GET", "cross-site", "https://attacker.example", false],
  ["HEAD", undefined, "https://attacker.example", false],
  ["OPTIONS", "cross-site", "https://attacker.example", false],
  ["QUERY", "cross-site", "https://attacker.example", false],
  ["get", "cross-site", undefined, true],
  ["FOO", "cross-site", undefined, true],
  ["TRACE", "cross-site", undefined, true],
];

interface Origin {
  readonly method: string;
  readonly site?: string | undefined;
  readonly origin?: string | undefined;
  readonly host?: string | undefined;
}

/** Returns a request with these headers. */
function requestOf({ method, site, origin, host }: Origin): Pick<Request, "method" | "header"> {
  const headers: Readonly<Record<string, string | undefined>> = { "sec-fetch-site": site, origin, host };
  return { method, header: (name) => headers[name] };
}

/** Returns true if the CSRF middleware refuses a request whatever its token is. */
const isCrossSite = (request: Pick<Request, "method" | "header">, trustedOrigins: ReadonlySet<string>): boolean =>
  !isSafeMethod(request.method) && senderOf(request, trustedOrigins) === "other-site";

describe("the origin of a request", () => {
  const trusted = originSet(["https://trusted.example"]);
  for (const [method, site, origin, expected] of rows) {
    const name = `${method} with Sec-Fetch-Site ${site ?? "absent"} and Origin ${origin ?? "absent"}`;
    test(`${name} is ${expected ? "cross-site" : "accepted"}`, () => {
      assert.equal(isCrossSite(requestOf({ method, site, origin, host: "example.com" }), trusted), expected);
    });
  }

  test("an Origin is cross-site if the request has no host", () => {
    assert.ok(isCrossSite(requestOf({ method: "POST", origin: "https://x" }), trusted));
    assert.ok(isCrossSite(requestOf({ method: "POST", origin: "https://", host: "" }), trusted));
  });

  test("is this site only if a header says so", () => {
    assert.equal(senderOf(requestOf({ method: "POST", host: "example.com" }), trusted), undefined);
    for (const headers of [{ site: "same-origin" }, { site: "none" }, { origin: "https://trusted.example" }]) {
      assert.equal(senderOf(requestOf({ method: "POST", ...headers }), trusted), "this-site");
    }
  });

  test("a port belongs to the host", () => {
    const request = { method: "POST", host: "localhost:3000" };
    assert.ok(!isCrossSite(requestOf({ ...request, origin: "http://localhost:3000" }), trusted));
    assert.ok(isCrossSite(requestOf({ ...request, origin: "http://localhost:4000" }), trusted));
    assert.ok(isCrossSite(requestOf({ ...request, origin: "http://localhost" }), trusted));
  });
});
