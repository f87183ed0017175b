import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as fc from "fast-check";
import { isError } from "../../core/index.ts";
import { Schema } from "../../schema/index.ts";
import { memory, typed } from "./index.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const expiresInMs = 60_000;
const rateSchema = Schema.record({ currency: Schema.string(), isFixed: Schema.bool(), day: Schema.datetime() });
type Rate = Schema.Infer<typeof rateSchema>;
const rate: Rate = { currency: "CHF", isFixed: false, day: new Date(Date.UTC(2030, 0, 31)) };

/** Returns a schema that accepts every value, or refuses every value with the given issues. */
const schemaOf = (issues?: readonly StandardSchemaV1.Issue[]): StandardSchemaV1<unknown, unknown> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (value) => (issues === undefined ? { value } : { issues }),
  },
});

describe("a typed cache", () => {
  test("stores values of one type under its own prefix", async () => {
    const cache = memory();
    const rates = typed({ cache, prefix: "rates ", schema: rateSchema });
    const other = typed({ cache, prefix: "rate", schema: schemaOf() });
    assert.equal(await rates.findOpt("CHF"), undefined);
    await rates.set("CHF", rate);
    assert.deepEqual(await rates.findOpt("CHF"), rate);
    assert.deepEqual(await rates.getOrSet("CHF", { expiresInMs }, () => assert.fail("computed")), rate);
    await other.set("CHF", 7);
    assert.equal(await rates.clear(), 1);
    assert.equal(await rates.findOpt("CHF"), undefined);
    assert.equal(await other.findOpt("CHF"), 7);
    assert.equal(await other.clear({ prefix: "C" }), 1);
    await rates.set("CHF", rate);
    assert.equal(await rates.delete("CHF"), true);
    await rates.set("CHF", rate);
    await rates.set("CHF", undefined);
    assert.equal(await rates.findOpt("CHF"), undefined);
  });

  test("returns the same value whether it was computed or stored", async () => {
    const rates = typed({ cache: memory(), prefix: "rates ", schema: rateSchema });
    const computed = await rates.getOrSet("CHF", { expiresInMs }, () => ({ ...rate, extra: "not in the schema" }));
    assert.deepEqual(computed, rate);
    assert.ok(computed.day instanceof Date);
    assert.deepEqual(await rates.findOpt("CHF"), computed);
  });

  test("stores every JSON value, including NUL and lone surrogates", async () => {
    const values = typed({ cache: memory(), prefix: "v", schema: schemaOf() });
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("\0", "\ud800", "a\0b", null),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        await values.set("key", value);
        assert.deepEqual(await values.findOpt("key"), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 100 },
    );
  });

  test("treats a value that its schema refuses as missing and computes it again", async () => {
    const cache = memory();
    const rates = typed({ cache, prefix: "rates ", schema: rateSchema });
    for (const text of [
      "{",
      "",
      "7",
      '{"currency":"CHF"}',
      '{"currency":1,"isFixed":false,"day":"2030-01-31T00:00:00Z"}',
    ]) {
      await cache.set("rates CHF", text);
      assert.equal(await rates.findOpt("CHF"), undefined);
      assert.deepEqual(await rates.getOrSet("CHF", { expiresInMs }, () => rate), rate);
      assert.deepEqual(await rates.findOpt("CHF"), rate);
    }
  });

  test("refuses a value that its schema refuses, before it is stored", async () => {
    const refuses = (operation: () => Promise<unknown>, message: RegExp): Promise<void> =>
      assert.rejects(operation, (error) => isError(error, "E_CACHE_VALUE") && message.test(error.message));
    const cache = memory();
    const values = typed({ cache, prefix: "v", schema: schemaOf([{ message: "too small" }, { message: "too odd" }]) });
    await refuses(() => values.set("key", 7), /too small; too odd/);
    await refuses(() => values.getOrSet("key", { expiresInMs }, () => 7), /too small; too odd/);
    await refuses(
      () => typed({ cache, prefix: "v", schema: schemaOf() }).set("key", () => 7),
      /no JSON representation/,
    );
    assert.equal(await cache.clear(), 0);
    assert.throws(
      () => typed({ cache, prefix: "", schema: schemaOf() }),
      (error) => isError(error, "E_CACHE_KEY"),
    );
  });
});
