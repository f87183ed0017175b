import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { readSession, type VerifiedSession } from "./session-cache.ts";
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

  test("is mostly cached among 2,000 visitors, and not among 20,000", () => {
    const cachedAmong = (count: number): number => {
      const visitors = Array.from({ length: count }, (_, id) => visitor(id));
      const sessions = visitors.map((visit) => visit());
      return visitors.filter((visit, id) => visit() === sessions[id]).length;
    };
    assert.equal(cachedAmong(2000), 2000);
    const cached = cachedAmong(20_000);
    assert.ok(cached > 500 && cached < 6000, `${cached} of 20,000`);
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
