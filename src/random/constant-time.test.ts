import assert from "node:assert/strict";
import { test } from "node:test";
import { constantTimeEqual } from "./index.ts";

test("compares secrets of texts and bytes, of any length", () => {
  assert.equal(constantTimeEqual("secret", "secret"), true);
  assert.equal(constantTimeEqual("secret", Buffer.from("secret")), true);
  for (const other of ["Secret", "secre", "secret ", ""])
    assert.equal(constantTimeEqual("secret", other), false, other);
  // Texts are compared as UTF-8: different characters of equal length differ.
  assert.equal(constantTimeEqual("\u0101", "\u0001"), false);
});
