import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as fc from "fast-check";
import { isError } from "../../core/index.ts";
import { Schema } from "../../schema/index.ts";
import { memory, typed } from "./index.ts";

const expiresIn = 60_000;
const rateSchema = Schema.record({ currency: Schema.string(), isFixed: Schema.bool(), day: Schema.datetime() });
type Rate = Schema.Infer<typeof rateSchema>;
const rate: Rate = { currency: "CHF", isFixed: false, day: new Date(Date.UTC(2030, 0, 31)) };

/** A schema that lets everything through, or nothing. */
const schemaOf = (issues?: readonly StandardSchemaV1.Issue[]): StandardSchemaV1<unknown, unknown> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (value) => (issues === undefined ? { value } : { issues }),
  },
});

describe("a typed cache", () => {
  test("keeps values of a type, apart from those of others", async () => {
    const cache = memory();
    const rates = typed({ cache, prefix: "rates ", schema: rateSchema });
    const other = typed({ cache, prefix: "rate", schema: schemaOf() });
    assert.equal(await rates.find("CHF"), undefined);
    await rates.set("CHF", rate);
    assert.deepEqual(await rates.find("CHF"), rate);
    assert.deepEqual(await rates.getOrSet("CHF", { expiresIn }, () => assert.fail("made")), rate);
    await other.set("CHF", 7);
    assert.equal(await rates.clear(), 1);
    assert.equal(await rates.find("CHF"), undefined);
    assert.equal(await other.find("CHF"), 7);
    assert.equal(await other.clear({ prefix: "C" }), 1);
    await rates.set("CHF", rate);
    assert.equal(await rates.delete("CHF"), true);
    await rates.set("CHF", rate);
    await rates.set("CHF", undefined);
    assert.equal(await rates.find("CHF"), undefined);
  });

  test("gives the same whether a value was made or found", async () => {
    const rates = typed({ cache: memory(), prefix: "rates ", schema: rateSchema });
    const made = await rates.getOrSet("CHF", { expiresIn }, () => ({ ...rate, more: "than the schema knows" }));
    assert.deepEqual(made, rate);
    assert.ok(made.day instanceof Date);
    assert.deepEqual(await rates.find("CHF"), made);
  });

  test("keeps whatever JSON keeps, NUL and halves of characters included", async () => {
    const values = typed({ cache: memory(), prefix: "v", schema: schemaOf() });
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\0", "\ud800", "a\0b", null),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        await values.set("key", value);
        assert.deepEqual(await values.find("key"), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 100 },
    );
  });

  test("takes what it cannot read for missing, and makes it anew", async () => {
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
      assert.equal(await rates.find("CHF"), undefined);
      assert.deepEqual(await rates.getOrSet("CHF", { expiresIn }, () => rate), rate);
      assert.deepEqual(await rates.find("CHF"), rate);
    }
  });

  test("refuses what its schema refuses, before it is kept", async () => {
    const refuses = (work: () => Promise<unknown>, message: RegExp): Promise<void> =>
      assert.rejects(work, (error) => isError(error, "E_CACHE_VALUE") && message.test(error.message));
    const cache = memory();
    const values = typed({ cache, prefix: "v", schema: schemaOf([{ message: "too small" }, { message: "too odd" }]) });
    await refuses(() => values.set("key", 7), /too small; too odd/);
    await refuses(() => values.getOrSet("key", { expiresIn }, () => 7), /too small; too odd/);
    await refuses(() => typed({ cache, prefix: "v", schema: schemaOf() }).set("key", () => 7), /JSON has nothing/);
    assert.equal(await cache.clear(), 0);
    assert.throws(
      () => typed({ cache, prefix: "", schema: schemaOf() }),
      (error) => isError(error, "E_CACHE_KEY"),
    );
  });
});
