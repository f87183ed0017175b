import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { capturedLog } from "../testing/index.ts";
import { Log, LogInternals } from "./index.ts";

const log = Log.source("limmat.test");

describe("secrets", () => {
  test("are redacted in lists of names and values: pairs, and flat lists of headers", () => {
    using captured = capturedLog("info");
    const { entries } = captured;
    const headers = ["Host", "a", "Authorization", "Bearer canary", "X-Api-Key", "canary", "Accept", "kept"];
    const pairs = [
      ["cookie", "canary"],
      ["csrf", ["canary"]],
      ["user[password]", "canary"],
      ["Accept", "kept"],
    ];
    log.info("x", { headers, pairs, set: new Set(pairs), nested: { rawHeaders: headers } });
    assert.ok(!JSON.stringify(entries).includes("canary"));
    assert.deepEqual(entries[0]?.fields["headers"], headers.with(3, "[redacted]").with(5, "[redacted]"));
    // No list of names and values: an odd number of items, a name among the values, a sentence.
    const lists = { a: ["password", "b", "c"], b: ["a", "password", "c", "d"], c: ["A wrong token", "kept"] };
    log.info("x", lists);
    assert.deepEqual(entries[1]?.fields, lists);
  });

  test("are redacted in query parameters and fragments of URLs, whoever receives the events", () => {
    using captured = capturedLog("info");
    const { entries } = captured;
    const parameters = [
      "token",
      "access_token",
      "refreshToken",
      "code",
      "sig",
      "X-Amz-Signature",
      "api_key",
      "key",
      "amp;token",
    ];
    for (const start of ["/reset?", "https://host/a?b=c&", "see /cb#"]) {
      for (const name of parameters) {
        const url = `${start}${name}=canary%2F.x&page=2 next`;
        log.info(url, { url, error: new Error(url), list: [url] });
      }
    }
    log.info("x", { url: new URL("https://canary@host/?a=b&password=canary") });
    assert.ok(!JSON.stringify(entries).includes("canary"), JSON.stringify(entries));
    assert.equal(entries[0]?.message, "/reset?token=[redacted]&page=2 next");
    const kept = "a=b /path?page=2&query=token&codes=1 mailto:a@host ssh://git@host/x 1?2=3";
    log.info(kept, { kept });
    assert.deepEqual([entries.at(-1)?.message, entries.at(-1)?.fields["kept"]], [kept, kept]);
  });
});

test("a deferred value is computed when it is logged, and is no part of JSON", () => {
  using captured = capturedLog("info");
  let calls = 0;
  const client = new LogInternals.DeferredValue({ ip: "203.0.113.9" }, ({ ip }) => {
    calls += 1;
    return ip;
  });
  Log.withFields({ client }, () => {
    log.debug("not logged");
    assert.equal(calls, 0);
    log.info("x", { a: 1 });
  });
  assert.deepEqual(captured.entries[0]?.fields, { client: "203.0.113.9", a: 1 });
  assert.equal(calls, 1);
  const failing = new LogInternals.DeferredValue(undefined, () => {
    throw new Error("gone");
  });
  log.info("x", { client: failing });
  assert.deepEqual(captured.entries[1]?.fields, { client: "[unreadable]" });
  assert.equal(JSON.stringify({ client, a: 1 }), '{"a":1}');
});
