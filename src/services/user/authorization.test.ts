import assert from "node:assert/strict";
import { test } from "node:test";
import { Authorization } from "limmat";

const [yes, no]: readonly Authorization.Guard[] = [
  [true, "yes"],
  [false, "no"],
];

test("all guards must hold; the first that does not gives the message", () => {
  assert.ok(yes && no);
  assert.deepEqual(Authorization.authorize([]), { ok: true, value: undefined });
  assert.deepEqual(Authorization.authorize([yes, yes]), { ok: true, value: undefined });
  assert.deepEqual(Authorization.authorize([yes, no, [false, "later"]]), { ok: false, error: "no" });
});

test("of several guards one must hold; of none, none does", () => {
  assert.ok(yes && no);
  assert.deepEqual(Authorization.authorize([Authorization.any([no, yes], "none")]), { ok: true, value: undefined });
  assert.deepEqual(Authorization.authorize([Authorization.any([no, no], "none")]), { ok: false, error: "none" });
  assert.deepEqual(Authorization.any([], "none"), [false, "none"]);
});
