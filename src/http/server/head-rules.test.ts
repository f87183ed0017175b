import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AllowedHosts } from "./allowed-hosts.ts";
import { type HeadFields, noFields, readField, readTarget } from "./head-rules.ts";

const allowedHosts = new AllowedHosts(() => true);

/** Reads the lines of a head. */
function read(lines: readonly (readonly [name: string, value: string])[], minorVersion = 1): HeadFields {
  const head = noFields(minorVersion);
  for (const [name, value] of lines) readField(head, name, value);
  return head;
}

describe("a header line", () => {
  test("is read by its name in any case", () => {
    const lines = ["Host", "EXPECT", "upgrade", "Content-Type", "CONTENT-Length", "X-Forwarded-For"] as const;
    const values = ["a", "100-CONTINUE", "h2c", "a/b", "12", "b"];
    const fields = { host: "a", expectsContinue: true, isUpgrade: true, hasContentType: true };
    assert.deepEqual(read(lines.map((name, index) => [name, values[index] ?? ""])), {
      ...read([]),
      ...fields,
      hasContentLength: true,
      declaredBytes: 12,
      isForwarded: true,
    });
    const chunked = { ...read([]), isChunked: true, declaredBytes: -1 };
    assert.deepEqual(read([["TRANSFER-ENCODING", "CHUNKED"]]), chunked);
  });

  test("has no effect if its name is another one of the same length", () => {
    const names = "x x-yz accept referer user-agent x-other-type x-other-length accept-encoding x-forwarded-fox";
    const longer = "if-modified-since sec-websocket-key x-transfer-encode";
    const lines = `${names} ${longer}`.split(" ").flatMap((name) => [[name, "a"] as const, [name, "b"] as const]);
    assert.deepEqual(read(lines), read([]));
  });

  test("Expect is ignored in HTTP/1.0, where Transfer-Encoding is refused", () => {
    assert.deepEqual(read([["Expect", "other"]], 0), read([], 0));
    assert.throws(() => read([["Transfer-Encoding", "chunked"]], 0), { code: "E_REQUEST_MALFORMED" });
  });
});

describe("a target", () => {
  const readWith = (method: string, target: string, host?: string, minorVersion = 1): string =>
    readTarget(method, target, { ...read([], minorVersion), host }, allowedHosts, {}).path;

  test("names the host of the Host header, or none", () => {
    assert.equal(readWith("GET", "/a", "b"), "/a");
    assert.equal(readWith("GET", "http://B/a/c", "b"), "/a/c");
    assert.equal(readWith("GET", "http://b?c", "B"), "/");
    assert.equal(readWith("GET", "/http:/b", "c"), "/http:/b");
    for (const host of ["c", undefined]) {
      assert.throws(() => readWith("GET", "http://b/", host, 0), { code: "E_REQUEST_MALFORMED" });
    }
  });

  test("needs a Host in HTTP/1.1, not in HTTP/1.0", () => {
    assert.equal(readWith("GET", "/a", undefined, 0), "/a");
    assert.throws(() => readWith("GET", "/a"), { code: "E_REQUEST_MALFORMED" });
  });

  test("is * for OPTIONS only, and TRACE has none", () => {
    assert.equal(readWith("OPTIONS", "*", "a"), "*");
    assert.throws(() => readWith("GET", "*", "a"), { code: "E_TARGET_MALFORMED" });
    assert.throws(() => readWith("TRACE", "/", "a"), { code: "E_METHOD_UNKNOWN" });
  });
});
