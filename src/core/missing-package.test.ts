import assert from "node:assert/strict";
import { test } from "node:test";
import { isPackageMissing } from "./index.ts";

test("distinguishes a package that is not installed from a broken one", async () => {
  const missing = "limmat-none-such";
  const cause: unknown = await import(missing).catch((error: unknown) => error);
  assert.equal(isPackageMissing(cause, missing), true);
  assert.equal(isPackageMissing(cause, "limmat-none"), false);
  assert.equal(isPackageMissing(new Error(`Cannot find package '${missing}'`), missing), false);
  const broken = Object.assign(new Error(`'${missing}' is broken`), { code: "ERR_DLOPEN_FAILED" });
  assert.equal(isPackageMissing(broken, missing), false);
  assert.equal(isPackageMissing("ERR_MODULE_NOT_FOUND", missing), false);
});
