import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { Log } from "../../log/index.ts";
import { isolate, serve } from "../application/fetch.test.ts";
import { Response } from "../../http/message/response.ts";
import { id } from "./id.ts";

const log = isolate([["TRUSTED_PROXIES", "127.0.0.1"]]);
const ask = serve([id()], async (request) => {
  await Promise.resolve();
  Log.source("test").info("inside");
  if (request.path === "/broken") throw new Error("broken");
  return Response.text(request.id);
});

async function idFor(given?: string): Promise<string> {
  const response = await ask("/", given === undefined ? {} : { headers: { "x-request-id": given } });
  const text = await response.text();
  assert.equal(response.headers.get("x-request-id"), text);
  return text;
}

describe("the identifier of a request", () => {
  test("is new, and sent back", async () => {
    const first = await idFor();
    assert.match(first, /^[0-9a-f-]{16,36}$/);
    assert.notEqual(await idFor(), first);
  });

  test("is new if no proxy is trusted", async () => {
    Configuration.store([["TRUSTED_PROXIES", "10.0.0.1"]]);
    const untrusted = serve([id()], (request) => Response.text(request.id));
    const response = await untrusted("/", { headers: { "x-request-id": "forged" } });
    assert.match(await response.text(), /^[0-9a-f]{16}$/);
  });

  test("is the one from a trusted proxy if it is well-formed", async () => {
    for (const given of ["abc", "A-1_b.c", "0", "a".repeat(128)]) assert.equal(await idFor(given), given);
  });

  test("is new if the one from the proxy is empty, too long, repeated or malformed", async () => {
    const wrong = [
      "",
      "a".repeat(129),
      "a b",
      "a, b",
      "a\tb",
      "<script>",
      "${jndi:ldap://x}",
      "a;b",
      "é",
      '"a"',
      "a\\n",
      "../a",
    ];
    for (const given of wrong) assert.match(await idFor(given), /^[0-9a-f-]{16,36}$/);
  });

  test("is in every log entry of the request, and on the error page", async () => {
    const response = await ask("/broken", { headers: { "x-request-id": "from-proxy" } });
    assert.equal(response.headers.get("x-request-id"), "from-proxy");
    assert.match(await response.text(), /from-proxy/);
    assert.ok(log.entries.length >= 2);
    for (const { fields } of log.entries) assert.equal(fields["request_id"], "from-proxy");
  });

  test("comes with the address of the client in every log entry of the request", async () => {
    await ask("/broken");
    assert.ok(log.entries.length >= 2);
    for (const { fields } of log.entries) assert.equal(fields["client"], "127.0.0.1");
  });
});
