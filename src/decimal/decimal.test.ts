import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assert as assertProperty, bigInt, integer, property, tuple } from "fast-check";
import { rounds } from "../../test/rounds.ts";
import { Decimal } from "./index.ts";

describe("a decimal", () => {
  test("is added, subtracted and multiplied exactly", () => {
    assert.equal(Decimal.add("0.1", "0.2"), "0.3");
    assert.equal(Decimal.add("12.50", "0.125"), "12.625");
    assert.equal(Decimal.add("9007199254740993", 1n), "9007199254740994");
    assert.equal(Decimal.subtract("1", "1.01"), "-0.01");
    assert.equal(Decimal.subtract("-0.5", "-0.5"), "0.0");
    assert.equal(Decimal.multiply("19.90", 3), "59.70");
    assert.equal(Decimal.multiply("-1.10", "1.5"), "-1.650");
    assert.equal(Decimal.sum(["0.10", "0.20", "0.30"]), "0.60");
    assert.equal(Decimal.sum([]), "0");
  });

  test("is rounded half up, away from zero, or half even", () => {
    const cases = ["2.345", "2.355", "2.3451", "-2.345", "2.3", "7", "-0.001", "0.005"];
    assert.deepEqual(
      cases.map((value) => Decimal.round(value, 2)),
      ["2.35", "2.36", "2.35", "-2.35", "2.30", "7.00", "0.00", "0.01"],
    );
    assert.deepEqual(
      cases.map((value) => Decimal.round(value, 2, "half-even")),
      ["2.34", "2.36", "2.35", "-2.34", "2.30", "7.00", "0.00", "0.00"],
    );
    assert.equal(Decimal.round("1250.5", 0), "1251");
  });

  test("is divided to a number of digits", () => {
    assert.equal(Decimal.divide("107.70", "1.077", 2), "100.00");
    assert.equal(Decimal.divide(100, 3, 4), "33.3333");
    assert.equal(Decimal.divide("-1", "-8", 2), "0.13");
    assert.equal(Decimal.divide("1", "-8", 2, "half-even"), "-0.12");
    assert.throws(() => Decimal.divide(1, "0.00", 2), { code: "E_DECIMAL_DIVISION" });
  });

  test("is compared by its number", () => {
    assert.deepEqual(["10", "9.5", "-1", "9.50", "1"].toSorted(Decimal.compare), ["-1", "1", "9.5", "9.50", "10"]);
    assert.equal(Decimal.compare("0.0", "-0"), 0);
  });

  test("is refused if it is not exact, not decimal or too long", () => {
    for (const value of [
      0.1,
      NaN,
      2 ** 53,
      Infinity,
      "",
      "1,5",
      "1e3",
      " 1",
      "+1",
      ".5",
      "5.",
      "٣",
      "1".repeat(1001),
    ]) {
      assert.throws(() => Decimal.add(value, 1), { code: "E_DECIMAL" }, String(value));
    }
    for (const scale of [-1, 0.5, 1001, NaN]) {
      assert.throws(() => Decimal.round("1", scale), { code: "E_DECIMAL_SCALE" }, String(scale));
    }
  });

  test("of random digits obeys the rules of arithmetic", () => {
    const decimals = tuple(bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), integer({ min: 1, max: 20 })).map(
      ([digits, scale]) => Decimal.multiply(digits, `0.${"0".repeat(scale - 1)}1`),
    );
    assertProperty(
      property(tuple(decimals, decimals, decimals, integer({ min: 0, max: 30 })), ([a, b, c, scale]) => {
        const isEqual = (left: string, right: string): boolean => Decimal.compare(left, right) === 0;
        assert.ok(isEqual(Decimal.subtract(Decimal.add(a, b), b), a));
        assert.ok(
          isEqual(
            Decimal.multiply(a, Decimal.add(b, c)),
            Decimal.sum([Decimal.multiply(a, b), Decimal.multiply(a, c)]),
          ),
        );
        const half = `0.${"0".repeat(scale)}5`;
        for (const rounding of ["half-up", "half-even"] as const) {
          const lost = Decimal.subtract(a, Decimal.round(a, scale, rounding));
          assert.ok(Decimal.compare(lost.replace("-", ""), half) <= 0, `${a} to ${scale} digits`);
        }
      }),
      { numRuns: rounds(1000) },
    );
  });
});

test("money is formatted with all digits, in the form of the language", () => {
  const text = (amount: Decimal.Value, currency: string, locale: string): string =>
    Decimal.money(amount, currency, locale)
      .replaceAll(/[\u00a0\u202f]/g, " ")
      .replaceAll("’", "'");
  assert.equal(text("1234.5", "EUR", "de"), "1.234,50 €");
  assert.equal(text("1234.50", "CHF", "de-CH"), "CHF 1'234.50");
  assert.equal(text("-0.005", "USD", "en"), "-$0.005");
  assert.equal(text("1250.00", "JPY", "en"), "¥1,250");
  assert.equal(text("12345678901234567890.12", "USD", "en"), "$12,345,678,901,234,567,890.12");
  assert.throws(() => Decimal.money("12,50", "EUR", "de"), { code: "E_DECIMAL" });
  assert.throws(() => Decimal.money("12.50", "euro", "de"), RangeError);
});
