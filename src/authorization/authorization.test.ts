import assert from "node:assert/strict";
import { test } from "node:test";
import { Authorization } from "limmat";

const [allowed, denied]: readonly Authorization.Guard[] = [
  [true, "allowed"],
  [false, "denied"],
];

test("authorize returns the message of the first guard that fails", () => {
  assert.ok(allowed && denied);
  assert.deepEqual(Authorization.authorize([]), { ok: true, value: undefined });
  assert.deepEqual(Authorization.authorize([allowed, allowed]), { ok: true, value: undefined });
  assert.deepEqual(Authorization.authorize([allowed, denied, [false, "later"]]), { ok: false, error: "denied" });
});

test("any holds if one of its guards does, and fails for an empty list", () => {
  assert.ok(allowed && denied);
  assert.deepEqual(Authorization.authorize([Authorization.any([denied, allowed], "none")]), {
    ok: true,
    value: undefined,
  });
  assert.deepEqual(Authorization.authorize([Authorization.any([denied, denied], "none")]), {
    ok: false,
    error: "none",
  });
  assert.deepEqual(Authorization.any([], "none"), [false, "none"]);
});
