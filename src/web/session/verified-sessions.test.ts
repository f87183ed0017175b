import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { type VerifiedSession, readSession } from "./verified-sessions.ts";
import { encodeContent } from "./session-content.ts";
import { signedCookie, writeCookie } from "./signed-cookie.ts";

isolate([["FRAMEWORK_SECRET", "secret-a-secret-a-secret-a-secret-a"]]);

const cookie = signedCookie("session", "_session", false);

/** Cookie of a visitor, and its session: a cached session is the same object, a parsed one is a new object. */
function visitor(id: number): () => VerifiedSession {
  const content = {
    values: new Map([["id", String(id)]]),
    reserved: new Map<string, string>(),
    createdAtMs: undefined,
  };
  const { value } = writeCookie(cookie, encodeContent(content), undefined) ?? assert.fail();
  return () => readSession(cookie, [["_session", value]]) ?? assert.fail();
}

describe("a verified session", () => {
  test("is cached under its cookie", () => {
    const [one, other] = [visitor(1), visitor(2)];
    const session = one();
    assert.notEqual(other(), session);
    assert.equal(one(), session);
  });

  test("is evicted, the oldest first, beyond a thousand sessions", () => {
    const visitors = Array.from({ length: 1001 }, (_, id) => visitor(id));
    const sessions = visitors.slice(0, 1000).map((visit) => visit());
    assert.deepEqual(
      [0, 1, 999].map((id) => visitors[id]?.() === sessions[id]),
      [true, true, true],
    );
    visitors[1000]?.();
    assert.deepEqual(
      [1, 999].map((id) => visitors[id]?.() === sessions[id]),
      [true, true],
    );
    assert.notEqual(visitors[0]?.(), sessions[0]);
  });

  test("is verified again after a change of keys", () => {
    const visit = visitor(1);
    const session = visit();
    Configuration.store([
      ["FRAMEWORK_SECRET", "secret-b-secret-b-secret-b-secret-b"],
      ["FRAMEWORK_SECRET_OLD", "secret-a-secret-a-secret-a-secret-a"],
    ]);
    assert.deepEqual(visit(), { ...session, isCurrent: false });
  });
});
