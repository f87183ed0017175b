import assert from "node:assert/strict";
import { test } from "node:test";
import { isError } from "../core/index.ts";
import { renderStub } from "./stub.ts";

const values = { value: "sendIt", file: "send-it" };

test("replaces placeholders", () => {
  assert.match(renderStub("middleware/middleware.ts", values), /^export const sendIt: Middleware/m);
});

test("refuses a placeholder without a value and a value without a placeholder", () => {
  const isStubError = (error: unknown): boolean => isError(error, "E_GENERATE_STUB");
  assert.throws(() => renderStub("middleware/middleware.ts", { value: "sendIt" }), isStubError);
  assert.throws(() => renderStub("middleware/middleware.ts", { ...values, extra: "x" }), isStubError);
});

test("indents every line of a value, and removes the line of an empty value", () => {
  const step = { table: "notes", types: "{ uuid }", statements: "a,\nb,", down: "" };
  const text = renderStub("model/step", step);
  assert.match(text, /^ {4}a,\n {4}b,\n {2}\],\n\)$/m);
});
