import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, suite, test } from "node:test";
import { Configuration } from "../config/index.ts";
import { Cleaner } from "./index.ts";

suite("cleaners", () => {
  let calls: string[];
  const register = (name: string): (() => void) => Cleaner.register(name, () => void calls.push(name));

  beforeEach(() => {
    calls = [];
    Configuration.store([
      ["ENV_FILES_PATH", tmpdir()],
      ["FRAMEWORK_ENV", "test"],
    ]);
  });
  afterEach(() => {
    Cleaner.reset();
    Configuration.reset();
  });

  test("run one after the other, the last registered first", async () => {
    Cleaner.register("slow", async () => {
      await Promise.resolve();
      calls.push("slow");
    });
    register("second");
    register("third");
    await Cleaner.cleanAll();
    assert.deepEqual(calls, ["third", "second", "slow"]);
  });

  test("can be unregistered", async () => {
    const unregister = register("gone");
    register("here");
    unregister();
    unregister();
    await Cleaner.cleanAll();
    assert.deepEqual(calls, ["here"]);
  });

  test("all receive the context", async () => {
    const ctx = [["pool", "reporting"]] as const;
    const seen: unknown[] = [];
    Cleaner.register("a", (options) => void seen.push(options.ctx));
    Cleaner.register("b", (options) => void seen.push(options.ctx));
    await Cleaner.cleanAll({ ctx });
    assert.deepEqual(seen, [ctx, ctx]);
  });

  test("all run even if some fail, and the failures are thrown at the end", async () => {
    const failure = new Error("no such table");
    register("first");
    Cleaner.register("broken", () => Promise.reject(failure));
    Cleaner.register("worse", () => {
      throw failure;
    });
    await assert.rejects(Cleaner.cleanAll(), (error: Error & { code?: string }) => {
      assert.equal(error.code, "E_CLEANER_FAILED");
      assert.match(error.message, /worse, broken/);
      assert.deepEqual((error.cause as AggregateError).errors, [failure, failure]);
      return true;
    });
    assert.deepEqual(calls, ["first"]);
  });

  test("do not run in production", async () => {
    register("first");
    Configuration.store([["FRAMEWORK_ENV", "production"]]);
    await assert.rejects(Cleaner.cleanAll(), { code: "E_CLEANER_PRODUCTION" });
    assert.deepEqual(calls, []);
  });
});
