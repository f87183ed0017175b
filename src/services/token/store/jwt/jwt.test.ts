// Validation of JSON Web Tokens, and forged ones.
import { TimeInternals } from "../../../../time/index.ts";
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Configuration, Time, Token } from "limmat";
import { ConfigurationInternals } from "../../../../config/index.ts";
import { fakeClock } from "limmat/testing";

const api = { purpose: "api" };
const id = "4e9f8f0e-1111-4222-8333-000000000000";
const secret = "a secret of the tests that is long enough for anybody";

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const key = (purpose = "api"): Buffer => Configuration.secretKeys(`jwt ${purpose}`).current;
const validHeader = { alg: "HS256", typ: "JWT" };

/** Returns a JWT that is signed with the given key. */
function forge(claims: unknown, header: unknown = validHeader, signingKey: Buffer = key(), hash = "sha256"): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, signingKey).update(signed).digest("base64url")}`;
}

describe("a JWT", () => {
  let clock: ReturnType<typeof fakeClock>;
  const service = Token.jwt();
  const now = (): number => TimeInternals.timestamp() / 1000;
  const claims = (): Record<string, unknown> => ({
    aud: "api",
    jti: id,
    iat: now(),
    nbf: now(),
    exp: now() + 60,
    data: { a: 1 },
  });

  beforeEach(() => {
    ConfigurationInternals.reset();
    Configuration.store([
      ["FRAMEWORK_ENV", "test"],
      ["FRAMEWORK_SECRET", secret],
    ]);
    clock = fakeClock();
  });
  afterEach(() => {
    clock[Symbol.dispose]();
    ConfigurationInternals.reset();
  });

  test("that was revoked stays so if another machine with a faster clock purged it", async () => {
    const ends = TimeInternals.timestamp() + Time.minutes(5);
    const options = { ...api, owner: "ada", expiresInMs: Time.minutes(5) };
    const [consumed, deactivated] = [await service.create({}, options), await service.create({}, options)];
    assert.ok(await service.consume(consumed, api));
    assert.ok(await service.deactivate(deactivated, api));
    await clock.advance(Time.minutes(5));
    await service.purge();
    clock.set(new Date(ends - Time.seconds(30)));
    for (const token of [consumed, deactivated]) assert.equal(await service.read(token, api), undefined);
  });

  test("of the maximum validity stays revoked with its owner until it expires", async () => {
    const localTime = Time.now();
    clock.set(new Date(localTime.getTime() + Time.seconds(30) + 1));
    const token = await service.create({}, { ...api, owner: "eve", expiresInMs: Time.days(366) });
    clock.set(localTime);
    await service.deactivateAll({ owner: "eve" });
    await clock.advance(Time.days(366));
    await service.purge();
    assert.equal(await service.read(token, api), undefined);
  });

  test("is readable by other implementations", async () => {
    const token = await service.create(
      { team: "red" },
      { ...api, owner: "ada", name: "laptop", abilities: ["a", "b"], expiresInMs: Time.minutes(5) },
    );
    const [header = "", payload = "", signature] = token.split(".");
    assert.equal(Buffer.from(header, "base64url").toString(), '{"alg":"HS256","typ":"JWT"}');
    const decoded = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    assert.deepEqual(decoded, {
      aud: "api",
      sub: "ada",
      jti: decoded["jti"],
      iat: now(),
      nbf: now(),
      exp: now() + 300,
      scope: "a b",
      name: "laptop",
      gen: [0, 0],
      data: { team: "red" },
    });
    assert.equal(createHmac("sha256", key()).update(`${header}.${payload}`).digest("base64url"), signature);
    assert.ok(await service.isValid(forge(claims()), api));
  });

  test("rounds its validity up to whole seconds", async () => {
    await clock.advance(1);
    const token = await service.create({}, { ...api, expiresInMs: 1000 });
    await clock.advance(1000);
    assert.ok(await service.isValid(token, api));
    await clock.advance(999);
    assert.equal(await service.isValid(token, api), false);
  });

  test("omits empty claims", async () => {
    await clock.advance(500);
    const token = await service.create({}, api);
    const decoded = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<
      string,
      unknown
    >;
    assert.deepEqual(Object.keys(decoded).sort(), ["aud", "data", "exp", "iat", "jti", "nbf"]);
    assert.deepEqual([decoded["iat"], decoded["nbf"]], [Math.floor(now()), Math.floor(now())]);
    const [none, one, two] = await Promise.all(
      [[], ["a"], ["a:b", "c"]].map(async (abilities) =>
        service.read(await service.create({}, { ...api, abilities }), api),
      ),
    );
    assert.deepEqual([none?.abilities, one?.abilities, two?.abilities], [[], ["a"], ["a:b", "c"]]);
  });

  test("that expires after the last date is invalid", async () => {
    assert.equal(await service.isActive(forge({ ...claims(), exp: 8_640_000_000_000 }), api), true);
    assert.equal(await service.isActive(forge({ ...claims(), exp: 8_640_000_000_001 }), api), false);
  });

  test("is valid for at most 366 days and fits into a header", async () => {
    assert.ok(await service.create({}, { ...api, expiresInMs: Time.days(366) }));
    await assert.rejects(service.create({}, { ...api, expiresInMs: Time.days(366) + 1 }), { code: "E_TOKEN_INVALID" });
    await assert.rejects(service.create({ a: "x".repeat(9000) }, api), { code: "E_TOKEN_INVALID" });
  });

  test("of a former secret is valid while that is configured", async () => {
    const token = await service.create({}, api);
    Configuration.store([["FRAMEWORK_SECRET", "another secret of the tests, as long as the first one"]]);
    assert.equal(await service.isValid(token, api), false);
    Configuration.store([["FRAMEWORK_SECRET_OLD", secret]]);
    assert.ok(await service.isValid(token, api));
    assert.ok(await service.consume(token, api));
    assert.equal(await service.isValid(token, api), false);
  });

  test("from a slightly faster clock is valid", async () => {
    assert.ok(await service.isValid(forge({ ...claims(), iat: now() + 30, nbf: now() + 30 }), api));
  });

  const without = (name: string): Record<string, unknown> => {
    const { [name]: _, ...rest } = claims();
    return rest;
  };
  const forgeries: readonly (readonly [title: string, make: () => string])[] = [
    ["without a signature", () => forge(claims()).replace(/[^.]+$/, "")],
    ["of two parts", () => forge(claims()).replace(/\.[^.]+$/, "")],
    ["of four parts", () => `${forge(claims())}.x`],
    ["with an empty header", () => forge(claims()).replace(/^[^.]+/, "")],
    ["with an empty payload", () => forge(claims()).replace(/\.[^.]+\./, "..")],
    ["with padding", () => `${forge(claims())}=`],
    ["with a blank in front", () => ` ${forge(claims())}`],
    ["with a line break behind", () => `${forge(claims())}\n`],
    ["with a signature in another encoding", () => reencode(forge(claims()))],
    ["with a cut signature", () => forge(claims()).slice(0, -1)],
    ["with another payload", () => swap(forge(claims()), { ...claims(), sub: "admin" })],
    ["alg none, unsigned", () => `${encode({ alg: "none" })}.${encode(claims())}.`],
    ["alg none, signed", () => forge(claims(), { alg: "none", typ: "JWT" })],
    ["alg None", () => forge(claims(), { alg: "None", typ: "JWT" })],
    ["alg missing", () => forge(claims(), { typ: "JWT" })],
    ["alg null", () => forge(claims(), { alg: null, typ: "JWT" })],
    ["alg HS512, signed so", () => forge(claims(), { alg: "HS512", typ: "JWT" }, key(), "sha512")],
    ["alg HS384, signed by HS256", () => forge(claims(), { alg: "HS384", typ: "JWT" })],
    ["alg RS256, signed by HS256", () => forge(claims(), { alg: "RS256", typ: "JWT" })],
    ["alg hs256", () => forge(claims(), { alg: "hs256", typ: "JWT" })],
    ["a list of algs", () => forge(claims(), { alg: ["HS256"], typ: "JWT" })],
    [
      "a key in the header",
      () => forge(claims(), { ...validHeader, jwk: { kty: "oct", k: encode("key") } }, Buffer.from("key")),
    ],
    ["a key id in the header", () => forge(claims(), { ...validHeader, kid: "../../../../dev/null" }, Buffer.alloc(0))],
    ["critical extensions", () => forge(claims(), { ...validHeader, crit: ["x"], x: true })],
    ["a header in another order", () => forge(claims(), { typ: "JWT", alg: "HS256" })],
    ["a header that is text", () => forge(claims(), "HS256")],
    ["signed by an empty key", () => forge(claims(), validHeader, Buffer.alloc(0))],
    ["signed by the secret itself", () => forge(claims(), validHeader, Buffer.from(secret))],
    ["signed by the key of another purpose", () => forge(claims(), validHeader, key("reset"))],
    ["signed by the key of sessions", () => forge(claims(), validHeader, Configuration.secretKeys("session").current)],
    ["of another purpose", () => forge({ ...claims(), aud: "reset" }, validHeader, key("reset"))],
    ["that names another purpose", () => forge({ ...claims(), aud: "reset" })],
    ["for a list of purposes", () => forge({ ...claims(), aud: ["api"] })],
    ["for no purpose", () => forge(without("aud"))],
    ["without expiry", () => forge(without("exp"))],
    ["expired now", () => forge({ ...claims(), exp: now() })],
    ["expired at 0", () => forge({ ...claims(), exp: 0 })],
    ["expired before 1970", () => forge({ ...claims(), exp: -1 })],
    ["expiring at infinity", () => forge(JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e400'))],
    ["expiring after all dates", () => forge({ ...claims(), exp: Number.MAX_SAFE_INTEGER })],
    ["expiring at a text", () => forge({ ...claims(), exp: String(now() + 60) })],
    ["expiring at a fraction", () => forge({ ...claims(), exp: now() + 0.5 })],
    ["expiring at null", () => forge({ ...claims(), exp: null })],
    ["expiring at true", () => forge({ ...claims(), exp: true })],
    ["expiring at a list", () => forge({ ...claims(), exp: [now() + 60] })],
    ["not valid yet", () => forge({ ...claims(), nbf: now() + 31 })],
    ["without nbf", () => forge(without("nbf"))],
    ["with a text as nbf", () => forge({ ...claims(), nbf: "0" })],
    ["issued in the future", () => forge({ ...claims(), iat: now() + 31 })],
    ["without an issue time", () => forge(without("iat"))],
    ["without an id", () => forge(without("jti"))],
    ["with an id that is no UUID", () => forge({ ...claims(), jti: "1" })],
    ["with an id and more in front", () => forge({ ...claims(), jti: `x${id}` })],
    ["with an id and more behind", () => forge({ ...claims(), jti: `${id}x` })],
    ["with an id in upper case", () => forge({ ...claims(), jti: id.toUpperCase() })],
    ["without data", () => forge(without("data"))],
    ["with data that is a list", () => forge({ ...claims(), data: [] })],
    ["with an owner that is a number", () => forge({ ...claims(), sub: 1 })],
    ["with abilities that are a list", () => forge({ ...claims(), scope: ["admin"] })],
    ["with a generation that is a number", () => forge({ ...claims(), gen: 1 })],
    ["with a generation that is negative", () => forge({ ...claims(), gen: [-1, 0] })],
    ["that is a list", () => forge([claims()])],
    ["that is null", () => forge(null)],
    ["that is a number", () => forge(1)],
    ["that is no JSON", () => forge("{")],
    ["that is empty text", () => forge('""')],
    ["that is not UTF-8", () => forge(Buffer.from([0xff, 0xfe]).toString("latin1"))],
    ["that is too long", () => forge({ ...claims(), data: { a: "x".repeat(20_000) } })],
  ];
  assert.ok(forgeries.length >= 60);

  for (const [title, make] of forgeries) {
    test(`is invalid ${title}`, async () => {
      assert.ok(await service.isValid(forge(claims()), api));
      const text = make();
      assert.equal(await service.read(text, api), undefined);
      assert.equal(await service.consume(text, api), undefined);
      assert.equal(await service.isValid(text, api), false);
    });
  }

  test("loses revocations in memory, which the doctor reports for production", async () => {
    const check = (environment: "production" | "development"): unknown => service.check?.({ environment });
    assert.match(JSON.stringify(check("production")), /"problem".*database/);
    assert.match(JSON.stringify(check("development")), /"ok"/);
  });
});

/** Returns the same bits in other characters. The last character of a signature has two unused bits. */
function reencode(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) ?? "") ^ 1];
}

function swap(token: string, claims: unknown): string {
  const [header, , signature] = token.split(".");
  return `${header}.${encode(claims)}.${signature}`;
}
