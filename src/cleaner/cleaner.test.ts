import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, suite, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { Cleaner } from "./index.ts";

suite("cleaners", () => {
  let calls: string[];
  let unregisterAll: DisposableStack;
  const clean = (...parameters: Parameters<typeof Cleaner.register>): (() => void) =>
    unregisterAll.adopt(Cleaner.register(...parameters), (unregister) => unregister());
  const register = (name: string): (() => void) => clean(name, () => void calls.push(name));

  beforeEach(() => {
    calls = [];
    unregisterAll = new DisposableStack();
    Configuration.store([
      ["ENV_FILES_PATH", tmpdir()],
      ["FRAMEWORK_ENV", "test"],
    ]);
  });
  afterEach(() => {
    unregisterAll.dispose();
    ConfigurationInternals.reset();
  });

  test("run one after the other, the last registered first", async () => {
    clean("slow", async () => {
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
    clean("a", (options) => void seen.push(options.ctx));
    clean("b", (options) => void seen.push(options.ctx));
    await Cleaner.cleanAll({ ctx });
    assert.deepEqual(seen, [ctx, ctx]);
  });

  test("do not run if one of them may not delete its data", async () => {
    const refusal = new Error("not a database of this environment");
    const verify = (): Promise<void> => Promise.reject(refusal);
    clean("database", () => void calls.push("database"), { verify });
    clean("cache", () => void calls.push("cache"), { verify: () => {} });
    await assert.rejects(Cleaner.cleanAll(), refusal);
    assert.deepEqual(calls, []);
  });

  test("of data in memory run alone, and do not verify others, before a test that is rolled back", async () => {
    const refuse = (): never => assert.fail("not in memory");
    clean("files", refuse, { verify: refuse });
    clean("cache", () => void calls.push("cache"), { isInMemory: true });
    await Cleaner.cleanAll({ onlyMemory: true });
    assert.deepEqual(calls, ["cache"]);
  });

  test("all run even if some fail, and the failures are thrown at the end", async () => {
    const failure = new Error("no such table");
    register("first");
    clean("broken", () => Promise.reject(failure));
    clean("worse", () => {
      throw failure;
    });
    await assert.rejects(Cleaner.cleanAll(), (error: Error & { code?: string }) => {
      assert.equal(error.code, "E_CLEANER_FAILED");
      assert.match(error.message, /worse: no such table; broken: no such table/);
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
