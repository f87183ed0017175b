import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { type Cookie, parseCookies, serializeCookie } from "./cookie.ts";

describe("a response cookie", () => {
  test("has secure defaults", () => {
    assert.equal(serializeCookie({ name: "a", value: "b" }), "a=b; Path=/; HttpOnly; Secure; SameSite=Lax");
  });

  test("has the given attributes", () => {
    const expires = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
    assert.equal(
      serializeCookie({
        name: "a",
        value: "",
        path: "/x",
        domain: "example.com",
        maxAge: 60,
        expires,
        httpOnly: false,
        secure: false,
        sameSite: "Strict",
      }),
      "a=; Path=/x; Domain=example.com; Max-Age=60; Expires=Fri, 02 Jan 2026 03:04:05 GMT; SameSite=Strict",
    );
    assert.equal(
      serializeCookie({ name: "__Host-a", value: "b", sameSite: "None", partitioned: true }),
      "__Host-a=b; Path=/; HttpOnly; Secure; SameSite=None; Partitioned",
    );
    assert.match(serializeCookie({ name: "a", value: "b", maxAge: 0 }), /; Max-Age=0;/);
    assert.match(serializeCookie({ name: "a", value: "b", maxAge: -1 }), /; Max-Age=-1;/);
  });

  test("has a prefix rule only if its name begins with the prefix", () => {
    for (const name of ["my__Secure-a", "my__Host-a"])
      assert.equal(
        serializeCookie({ name, value: "b", path: "/x", secure: false }),
        `${name}=b; Path=/x; HttpOnly; SameSite=Lax`,
      );
  });

  test("has the domain of a host name, with or without a leading dot", () => {
    for (const domain of [
      "x.yz.EXAMPLE.com",
      "example.com",
      ".example.com",
      "a-b.example",
      "localhost",
      "xn--bcher-kva.example",
      "10.0.0.1",
    ])
      assert.ok(serializeCookie({ name: "a", value: "b", domain }).includes(`; Domain=${domain};`));
  });

  const wrong: readonly (readonly [part: RegExp, cookie: Partial<Cookie>])[] = [
    [/its name/, { name: "" }],
    [/its name/, { name: "a b" }],
    [/its name/, { name: "a=b" }],
    [/its name/, { name: "a;b" }],
    [/its name/, { name: "ä" }],
    [/its value/, { value: "a b" }],
    [/its value/, { value: "a;b" }],
    [/its value/, { value: "a,b" }],
    [/its value/, { value: 'a"b' }],
    [/its value/, { value: "a\\b" }],
    [/its value/, { value: "a\r\nb" }],
    [/its value/, { value: "\x7f" }],
    [/its value/, { value: "ü" }],
    [/its path/, { path: "a" }],
    [/its path/, { path: "" }],
    [/its path/, { path: "/a;b" }],
    [/its path/, { path: "/a\nb" }],
    [/its domain/, { domain: "" }],
    [/its domain/, { domain: "a;b" }],
    [/its domain/, { domain: "a b" }],
    [/its domain/, { domain: "a..b" }],
    [/its domain/, { domain: "a." }],
    [/its domain/, { domain: ".." }],
    [/its domain/, { domain: "-a.b" }],
    [/its domain/, { domain: "a-.b" }],
    [/its maxAge/, { maxAge: 1.5 }],
    [/its maxAge/, { maxAge: Number.NaN }],
    [/its expires/, { expires: new Date(Number.NaN) }],
    [/its sameSite/, { sameSite: "lax; Domain=evil" as "Lax" }],
    [/its secure/, { sameSite: "None", secure: false }],
    [/its secure/, { partitioned: true, secure: false }],
    [/its secure/, { name: "__Secure-a", secure: false }],
    [/its secure/, { name: "__host-a", secure: false }],
    [/its prefix/, { name: "__Host-a", path: "/x" }],
    [/its prefix/, { name: "__HOST-a", domain: "example.com" }],
  ];
  for (const [part, cookie] of wrong) {
    test(`is refused with ${JSON.stringify(cookie)}`, () => {
      assert.throws(() => serializeCookie({ name: "a", value: "b", ...cookie }), {
        code: "E_COOKIE_INVALID",
        message: part,
      });
    });
  }

  test("has exactly the given attributes, whatever its value", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, value) => {
        try {
          const parts = serializeCookie({ name, value }).split("; ");
          assert.deepEqual(parts, [`${name}=${value}`, "Path=/", "HttpOnly", "Secure", "SameSite=Lax"]);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "E_COOKIE_INVALID");
        }
      }),
    );
  });
});

describe("request cookies", () => {
  test("are parsed in order, names and values unchanged", () => {
    assert.deepEqual(parseCookies("a=1; b=2;c=3"), [
      ["a", "1"],
      ["b", "2"],
      ["c", "3"],
    ]);
    assert.deepEqual(parseCookies("a=1; a=2"), [
      ["a", "1"],
      ["a", "2"],
    ]);
    assert.deepEqual(parseCookies('a="1"; b=%20; c==; d=e=f'), [
      ["a", '"1"'],
      ["b", "%20"],
      ["c", "="],
      ["d", "e=f"],
    ]);
    assert.deepEqual(parseCookies("__proto__=1; constructor=2"), [
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
  });

  test("are trimmed of spaces and tabs, and of nothing else", () => {
    assert.deepEqual(parseCookies(" \ta \t= \tb \t; c=d"), [
      ["a", "b"],
      ["c", "d"],
    ]);
    assert.deepEqual(parseCookies("\u00a0__Host-a=1;\u2003b=2"), [
      ["\u00a0__Host-a", "1"],
      ["\u2003b", "2"],
    ]);
    assert.deepEqual(parseCookies("$Version=1; a=b"), [
      ["$Version", "1"],
      ["a", "b"],
    ]);
  });

  test("without a name or an equals sign are skipped", () => {
    for (const header of [undefined, "", ";", ";;", "a", "=b", " =b; c", "; ; "])
      assert.deepEqual(parseCookies(header), []);
    assert.deepEqual(parseCookies("a; b=1; =c; d="), [
      ["b", "1"],
      ["d", ""],
    ]);
  });

  test("are parsed in linear time", () => {
    // A quadratic algorithm would exceed the time limit of a test.
    assert.deepEqual(parseCookies("a;".repeat(3_000_000)), []);
    assert.equal(parseCookies("a=b;".repeat(1_000_000)).length, 1_000_000);
    assert.deepEqual(parseCookies(`${"a;".repeat(3_000_000)}b=c`), [["b", "c"]]);
  });

  test("are parsed as they were sent", () => {
    const name = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/);
    const value = fc.stringMatching(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (cookies) => {
        const header = cookies.map(
          ([one, other]) => serializeCookie({ name: one, value: other, path: "/" }).split("; ", 1)[0],
        );
        assert.deepEqual(parseCookies(header.join("; ")), cookies);
      }),
    );
  });
});
