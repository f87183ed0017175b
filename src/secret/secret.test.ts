import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import * as fc from "fast-check";
import { Configuration, Secret, Time } from "limmat";
import { anyCharacter } from "../../test/any-character.ts";
import { ConfigurationInternals } from "../config/index.ts";
import { RandomInternals } from "../random/index.ts";
import { TimeInternals } from "../time/index.ts";
import { SecretInternals } from "./index.ts";

const [first, second] = [
  "the first secret of the tests is long enough",
  "the second secret of the tests is long enough",
];
const purpose = "unsubscribe";
const nowMs = Date.UTC(2026, 10, 29);

function useSecrets(secret: string, old = ""): void {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["FRAMEWORK_SECRET", secret],
    ["FRAMEWORK_SECRET_OLD", old],
  ]);
}

describe("a sealed text", () => {
  let clock: ReturnType<typeof TimeInternals.fakeClock>;
  let restoreClock: () => void;

  beforeEach(() => {
    useSecrets(first);
    clock = TimeInternals.fakeClock(new Date(nowMs));
    restoreClock = TimeInternals.useClock(clock);
  });
  afterEach(() => {
    restoreClock();
    ConfigurationInternals.reset();
  });

  test("has a fixed format", (context) => {
    const restore = RandomInternals.useSource(RandomInternals.seededSource("format"));
    context.after(restore);
    const sealed = Secret.seal("Grüezi", { purpose, expiresMs: 1000 });
    assert.equal(sealed, "1.KnetOrC5zeBerdtqVo4mhiKaeZ4V41J3rGBSJo8rhZJIyXToC9UQKjE");
    assert.equal(Secret.open(sealed, { purpose }), "Grüezi");
  });

  test("opens as a model says: same purpose, known secret, before its expiry", () => {
    const secrets = [first, second, "a third secret of the tests is long enough"];
    const secretIndex = fc.integer({ min: 0, max: 2 });
    const model = fc.record({
      text: fc.string({ unit: anyCharacter }),
      sealedWith: secretIndex,
      current: secretIndex,
      old: fc.array(secretIndex, { maxLength: 2 }),
      purposes: fc.tuple(fc.constantFrom("a", "b", "a\n"), fc.constantFrom("a", "b", "a\n")),
      expiresMs: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
      passedMs: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(model, ({ text, sealedWith, current, old, purposes, expiresMs, passedMs }) => {
        useSecrets(secrets[sealedWith]!);
        clock.set(new Date(nowMs));
        const sealed = Secret.seal(text, { purpose: purposes[0], ...(expiresMs !== undefined && { expiresMs }) });
        useSecrets(secrets[current]!, old.map((index) => secrets[index]).join(","));
        clock.set(new Date(nowMs + passedMs));
        const canOpen =
          purposes[0] === purposes[1] &&
          [current, ...old].includes(sealedWith) &&
          (expiresMs === undefined || passedMs < expiresMs);
        assert.equal(Secret.open(sealed, { purpose: purposes[1] }), canOpen ? text : undefined);
        assert.match(sealed, /^1\.[\w-]+$/);
        assert.equal(sealed.length, 2 + Math.ceil(((34 + Buffer.byteLength(text)) * 4) / 3));
      }),
    );
  });

  test("does not open after any change of one character, truncated or extended", () => {
    const sealed = Secret.seal("value", { purpose });
    for (let at = 0; at < sealed.length; at++) {
      for (const character of "AB_-=. \né1") {
        if (character === sealed[at]) continue;
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        assert.equal(Secret.open(changed, { purpose }), undefined, changed);
      }
      assert.equal(Secret.open(sealed.slice(0, at), { purpose }), undefined);
      assert.equal(Secret.open(sealed.slice(at + 1), { purpose }), undefined);
    }
    for (const more of ["A", "=", "==", "\n", " ", ".", "é"]) {
      assert.equal(Secret.open(sealed + more, { purpose }), undefined);
      assert.equal(Secret.open(more + sealed, { purpose }), undefined);
    }
  });

  test("has one spelling only", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const text of ["", "a", "ab"]) {
      const sealed = Secret.seal(text, { purpose });
      const opened = Array.from(alphabet).filter(
        (last) => Secret.open(sealed.slice(0, -1) + last, { purpose }) !== undefined,
      );
      assert.deepEqual(opened, [sealed.at(-1)]);
    }
  });

  test("differs each time, and does not contain the text", () => {
    const sealed = new Set(Array.from({ length: 100 }, () => Secret.seal("ada@example.com", { purpose })));
    assert.equal(sealed.size, 100);
    for (const text of sealed) assert.ok(!Buffer.from(text.slice(2), "base64url").includes("ada"));
  });

  test("cannot be made with the key of a purpose of the framework", () => {
    const { current } = Configuration.secretKeys("queued mail");
    const content = Buffer.concat([Buffer.alloc(6, 0xff), Buffer.from("value")]);
    const encrypted = `1.${SecretInternals.encrypt(current, content)}`;
    assert.equal(Secret.open(encrypted, { purpose: "queued mail" }), undefined);
  });

  test("expires at its time, to the millisecond", () => {
    const sealed = Secret.seal("value", { purpose, expiresMs: Time.minutes(10) });
    clock.set(new Date(nowMs + Time.minutes(10) - 1));
    assert.equal(Secret.open(sealed, { purpose }), "value");
    clock.set(new Date(nowMs + Time.minutes(10)));
    assert.equal(Secret.open(sealed, { purpose }), undefined);
  });

  test("has at most 1 MiB, in UTF-8", () => {
    const longest = "é".repeat(2 ** 19);
    assert.equal(Secret.open(Secret.seal(longest, { purpose }), { purpose }), longest);
    const refused = { code: "E_SECRET_TEXT", message: /has 1048577 bytes/ };
    assert.throws(() => Secret.seal(`${longest}a`, { purpose }), refused);
    assert.equal(Secret.open(`1.${"A".repeat(2_000_000)}`, { purpose }), undefined);
  });

  test("refuses texts and options that would be lost", () => {
    assert.throws(() => Secret.seal("\ud800", { purpose }), { code: "E_SECRET_TEXT" });
    for (const invalid of ["", "x".repeat(201), "\udfff"]) {
      assert.throws(() => Secret.seal("a", { purpose: invalid }), { code: "E_SECRET_PURPOSE" });
      assert.throws(() => Secret.open("a", { purpose: invalid }), { code: "E_SECRET_PURPOSE" });
    }
    for (const expiresMs of [0, -1, Number.NaN, Infinity, 2 ** 48]) {
      assert.throws(() => Secret.seal("a", { purpose, expiresMs }), { code: "E_SECRET_EXPIRY" });
    }
    for (const sealed of [undefined, "", "1", "1.", "1.A", "2.AAAA"]) {
      assert.equal(Secret.open(sealed, { purpose }), undefined);
    }
  });
});
