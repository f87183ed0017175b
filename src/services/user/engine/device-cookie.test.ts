import assert from "node:assert/strict";
import { test } from "node:test";
import { Time } from "limmat";
import { configuration, fakeClock } from "limmat/testing";
import { addDevice, deviceCookieMaxAge, findDevice } from "./device-cookie.ts";

test("a device cookie names a browser for the accounts that it logged in to", () => {
  using clock = fakeClock();
  const ada = addDevice(undefined, "ada@example.com");
  const id = findDevice(ada, "ada@example.com");
  assert.match(id ?? "", /^[\w-]{43}$/);
  assert.equal(findDevice(ada, "bob@example.com"), undefined);
  assert.equal(findDevice(undefined, "ada@example.com"), undefined);
  assert.notEqual(findDevice(addDevice(undefined, "ada@example.com"), "ada@example.com"), id);
  clock.set(new Date(clock.now() + 1000));
  const renewed = addDevice(ada, "ada@example.com");
  assert.notEqual(renewed, ada);
  assert.equal(findDevice(renewed, "ada@example.com"), id, "the id stays");
  assert.equal(renewed.split(":").length, 1, "an account has one entry");
  const both = addDevice(renewed, "bob@example.com");
  assert.deepEqual([findDevice(both, "ada@example.com"), both.split(":").length], [id, 2]);
  assert.notEqual(findDevice(both, "bob@example.com"), id);
});

test("a device cookie names the last four accounts", () => {
  const accounts = ["a@b", "c@d", "e@f", "g@h", "i@j"];
  const cookie = accounts.reduce<string | undefined>((previous, account) => addDevice(previous, account), undefined);
  assert.deepEqual(
    accounts.map((account) => findDevice(cookie, account) !== undefined),
    [false, true, true, true, true],
  );
  assert.equal(cookie?.split(":").length, 4);
  assert.ok(cookie.length < 400);
});

test("a device cookie is valid for a year, also with the former secret", () => {
  using clock = fakeClock();
  const start = clock.now();
  const former = "a former secret of 32 bytes for this test";
  const cookie = ((): string => {
    using _ = configuration({ FRAMEWORK_SECRET: former });
    return addDevice(undefined, "ada@example.com");
  })();
  const isKnown = (): boolean => findDevice(cookie, "ada@example.com") !== undefined;
  assert.equal(isKnown(), false);
  using _ = configuration({ FRAMEWORK_SECRET: "the current secret, also 32 bytes", FRAMEWORK_SECRET_OLD: former });
  assert.equal(deviceCookieMaxAge, 365 * 24 * 60 * 60);
  for (const [days, isValid] of [
    [365, false],
    [-365, false],
    [364, true],
  ] as const) {
    clock.set(new Date(start + Time.days(days)));
    assert.equal(isKnown(), isValid, `${days} days`);
  }
});

test("a device cookie that this server did not write names nothing", () => {
  const cookie = addDevice(undefined, "ada@example.com");
  const [time = "", id = "", mac = ""] = cookie.split(".");
  for (const invalid of [
    `-${cookie}`,
    `x${cookie}`,
    `${cookie}x`,
    `${cookie}.`,
    `${time}.${mac}.${id}`,
    ":::",
    `::::${cookie}`,
  ]) {
    assert.equal(findDevice(invalid, "ada@example.com"), undefined, invalid);
    assert.equal(addDevice(invalid, "bob@example.com").includes("x:"), false);
  }
  assert.equal(addDevice("garbage", "ada@example.com").split(":").length, 1);
  assert.equal(addDevice(`a b:${"x".repeat(1_000_000)}`, "ada@example.com").split(":").length, 1);
});
