import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, suite, test } from "node:test";
import { Configuration, ConfigurationInternals } from "./index.ts";
import { checkFields, frameworkFields, sampleSecrets } from "./internal.ts";

const { secretKeys } = Configuration;
const strong = randomBytes(32).toString("hex");

function setUp(environment: string, secret: string, old = ""): void {
  Configuration.store([
    ["ENV_FILES_PATH", tmpdir()],
    ["FRAMEWORK_ENV", environment],
    ["FRAMEWORK_SECRET", secret],
    ["FRAMEWORK_SECRET_OLD", old],
  ]);
}

suite("the secret", () => {
  beforeEach(() => ConfigurationInternals.reset());
  afterEach(() => ConfigurationInternals.reset());

  for (const [description, secret] of [
    ["a missing secret", ""],
    ["31 bytes", strong.slice(0, 31)],
    ["zeros only", "0".repeat(64)],
    ["32 zero bytes in base64", Buffer.alloc(32).toString("base64")],
    ["one character repeated", "x".repeat(40)],
    ...sampleSecrets.map((sample) => [`the sample ${sample}`, sample] as const),
  ] as const) {
    test(`is refused in production: ${description}`, () => {
      setUp("production", secret);
      const [problem, ...others] = checkFields(frameworkFields);
      assert.equal(problem?.key, "FRAMEWORK_SECRET");
      assert.ok(secret === "" || !problem.problem.includes(secret));
      assert.deepEqual(others, []);
      assert.throws(() => secretKeys("session"), { message: /^FRAMEWORK_SECRET / });
    });

    test(`is accepted in development and test: ${description}`, () => {
      for (const environment of ["development", "test"]) {
        setUp(environment, secret);
        assert.deepEqual(checkFields(frameworkFields), []);
        assert.equal(secretKeys("session").current.length, 32);
      }
    });
  }

  test("has the same rules as a former secret", () => {
    setUp("production", strong, `${randomBytes(32).toString("hex")},short`);
    assert.deepEqual(
      checkFields(frameworkFields).map(({ key }) => key),
      ["FRAMEWORK_SECRET_OLD"],
    );
  });

  test("is accepted in production with 32 bytes", () => {
    setUp("production", strong.slice(0, 32));
    assert.deepEqual(checkFields(frameworkFields), []);
  });

  test("derives a stable key for each purpose, computed once", () => {
    setUp("production", strong);
    const session = secretKeys("session");
    assert.equal(secretKeys("session"), session);
    assert.ok(!secretKeys("flash").current.equals(session.current));
    assert.ok(!Buffer.from(strong, "hex").equals(session.current));
    Configuration.store([["UNRELATED", "1"]]);
    assert.deepEqual(secretKeys("session"), session);
  });

  test("can be rotated: former secrets verify while they are listed", () => {
    setUp("production", strong);
    const former = secretKeys("session").current;
    const next = randomBytes(32).toString("base64");
    setUp("production", next, ` ${strong} , `);
    const rotated = secretKeys("session");
    assert.ok(!rotated.current.equals(former));
    assert.deepEqual(rotated.all, [rotated.current, former]);
    setUp("production", next);
    assert.deepEqual(secretKeys("session").all, [rotated.current]);
  });
});
