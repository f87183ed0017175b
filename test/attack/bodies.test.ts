// Bodies that are large, deep, malformed, or of a wrong Content-Type (OWASP ASVS 1.1, 4.3, 15.3).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { floods } from "./floods.ts";
import type { Reply } from "./person.ts";
import { runDemo } from "./run-demo.ts";

const running = runDemo();

const form = "application/x-www-form-urlencoded";
const send = (path: string, body: string | Uint8Array, type: string): Promise<Reply> =>
  running.alice.send("POST", path, body, type);

describe("a flood", () => {
  for (const [name, body, status] of floods) {
    test(`of ${name} is answered with ${status}`, async () => {
      assert.equal((await send("/api/form", body, form)).status, status);
    });
  }

  test("of query parameters is refused as it is for a form", async () => {
    for (const [name, body, status] of floods.filter(([, text]) => text.length < 16_000)) {
      assert.equal((await running.alice.get(`/api/query?${body}`)).status, status, name);
      assert.equal((await running.alice.get(`/items?${body}`)).status, status, name);
    }
  });

  const deep: readonly (readonly [name: string, body: string])[] = [
    ["arrays", "[".repeat(100_000) + "]".repeat(100_000)],
    ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["arrays without an end", "[".repeat(500_000)],
    ["numbers", `[${"1e1,".repeat(200_000)}1]`],
    ["keys", `{${Array.from({ length: 60_000 }, (_, at) => `"${at}":0`).join()}}`],
  ];
  for (const [name, body] of deep) {
    test(`of ${name} in JSON does not crash the process`, async () => {
      assert.ok([200, 201, 400, 422].includes((await send("/api/items", body, "application/json")).status));
    });
  }
});

describe("JSON", () => {
  const right = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1.5e3",
    "1E-2",
    '""',
    "[]",
    "{}",
    '{"a":[{"b":null}]}',
    " [1 ] ",
    "\t{}\r\n",
    '"\\u00e9"',
    '"é"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\u0000"',
    '"\u2028"',
    '"\u007f"',
    '"\\/"',
    "[1e400]",
    '{"a":1,"a":2}',
    '{"":0}',
    "[1,2,3]",
    "123456789012345678901234567890",
    '{"a":{"a":{"a":{}}}}',
  ];
  const wrong = [
    "",
    " ",
    "\0",
    "nul",
    "True",
    "NaN",
    "Infinity",
    "undefined",
    "'a'",
    "a",
    "[",
    "]",
    "{",
    "}",
    "[1",
    "[1,",
    "[,1]",
    "[1,]",
    "[1,,2]",
    '{"a":1,}',
    '{"a"}',
    "{a:1}",
    "{'a':1}",
    '{"a":}',
    '{"a":1 "b":2}',
    "[1 2]",
    "1 2",
    "{}{}",
    "[]x",
    "01",
    "-",
    "+1",
    "1.",
    ".1",
    "1e",
    "1e+",
    "0x1",
    "1_0",
    "--1",
    "-01",
    "2.e3",
    "１",
    '"',
    '"a',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"\t"',
    '"\n"',
    '"\u0001"',
    '"\\U0041"',
    '"a\\',
    "// x\n1",
    "/* */ 1",
    "[1]//",
    "\ufeff{}",
    "\u00a0{}",
    "\u2060{}",
    "[\v1]",
    "<html>",
    "a=b",
    "{]",
    "[}",
    '["a":1]',
    '{"a":1]',
    "null,",
    "true false",
    "[nu]",
    "[-]",
    "[1e]",
    "[.]",
    "\u2028{}",
  ];
  const bad: readonly (readonly number[])[] = [
    [0xff],
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xe0, 0x80, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
    [0x22, 0xc3, 0x22],
    [0xef, 0xbb, 0xbf, 0x7b, 0x7d],
    [0xff, 0xfe, 0x7b, 0x00],
    [0xfe, 0xff, 0x00, 0x7b],
    [0x7b, 0x00, 0x7d, 0x00],
    [0x80],
  ];

  test("is parsed if it is valid", async () => {
    for (const text of right) assert.equal((await send("/api/json", text, "application/json")).status, 200, text);
  });
  test("is refused if it is invalid", async () => {
    for (const text of wrong) assert.equal((await send("/api/json", text, "application/json")).status, 400, text);
  });
  test("is refused if it is not UTF-8", async () => {
    for (const bytes of bad) {
      assert.equal((await send("/api/json", Uint8Array.from(bytes), "application/json")).status, 400, String(bytes));
    }
  });
  test("of another shape is refused with an error per field", async () => {
    for (const text of right) {
      assert.equal((await send("/api/items", text, "application/json")).status, 422, text);
    }
    for (const qty of ['"1"', "1.5", "1e400", "-1", "null", "true", "[]", "{}", "9007199254740993", "2147483648"]) {
      const { status } = await send("/api/items", `{"name":"x","qty":${qty},"done":true}`, "application/json");
      assert.equal(status, 422, qty);
    }
    for (const done of ['"true"', "1", "0", "null", "[]", "{}"]) {
      const { status } = await send("/api/items", `{"name":"x","qty":1,"done":${done}}`, "application/json");
      assert.equal(status, 422, done);
    }
  });
});

describe("a form", () => {
  test("and a query keep a leading question mark", async () => {
    assert.deepEqual(JSON.parse((await running.alice.get("/api/query??filter=x")).body), [["?filter", "x"]]);
    assert.equal((await running.alice.get("/items??limit=x")).status, 200);
  });
  test("with broken escapes or invalid UTF-8 is refused", async () => {
    for (const text of [
      "a=%",
      "a=%z",
      "a=%f",
      "a=%ff",
      "a=%c0%af",
      "a=%ed%a0%80",
      "%=a",
      "a=1&b=%e0%80%af",
      "a=%u0041",
    ]) {
      assert.equal((await send("/api/form", text, form)).status, 400, text);
    }
    assert.equal((await send("/api/form", Uint8Array.of(0x61, 0x3d, 0xff), form)).status, 400);
  });
  test("keeps unusual valid values", async () => {
    for (const [text, pairs] of [
      ["", []],
      ["a", [["a", ""]]],
      ["=", [["", ""]]],
      ["a=b=c", [["a", "b=c"]]],
      ["a=1;b=2", [["a", "1;b=2"]]],
      ["a+b=%2B", [["a b", "+"]]],
      [
        "a=1&a=2",
        [
          ["a", "1"],
          ["a", "2"],
        ],
      ],
      [
        "a[]=1&a[b]=2",
        [
          ["a[]", "1"],
          ["a[b]", "2"],
        ],
      ],
      ["?a=1", [["?a", "1"]]],
      ["%00=%00", [["\0", "\0"]]],
    ] as const) {
      assert.deepEqual(JSON.parse((await send("/api/form", text, form)).body), pairs, text);
    }
  });
});

test("a body can be streamed whatever its type", async () => {
  for (const type of [form, "application/json", "text/plain"]) {
    const { status, body } = await send("/api/stream", "a=b&c=d", type);
    assert.deepEqual([status, body], [200, "7"], type);
  }
});

describe("a Content-Type", () => {
  const odd = [
    "",
    " ",
    ";",
    "/",
    "*/*",
    "a",
    "text/plain",
    "text/html",
    "application/json",
    "application/problem+json",
    "text/json",
    "application/x-www-form-urlencoded",
    "Application/X-WWW-Form-UrlEncoded",
    "application/x-www-form-urlencoded ",
    "application/x-www-form-urlencoded;",
    "application/x-www-form-urlencoded; charset=utf-8",
    "multipart/form-data",
    "application/x-www-form-urlencoded;charset=UTF-8",
    'application/x-www-form-urlencoded; charset="utf-8"',
    "application/x-www-form-urlencoded; charset=utf-16",
    "application/x-www-form-urlencoded; charset=latin1",
    "application/x-www-form-urlencoded, text/plain",
    "text/plain, application/x-www-form-urlencoded",
    "text/plain; application/x-www-form-urlencoded",
    "text/plain;a=application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded\ttext/plain",
    "application/x-www-form-urlencoded/json",
    "x-www-form-urlencoded",
    "application/x-www-form-urlencodedx",
    "application/x-www-form-urlencode",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-8",
    "application/json;charset=utf-16",
    "application/jsonx",
    "application/json+x",
    "application/x+json",
    "application/json, text/plain",
    "text/plain; x=application/json",
    "APPLICATION/JSON",
    "application/json\t",
    "application/json ; x",
    '"application/json"',
    "application/vnd.api+json",
    "+json",
    "a/+json",
    "text/plain;charset=utf-8;charset=utf-16",
    "application/octet-stream",
    "image/svg+xml",
    "application/csp-report",
  ];

  test("is parsed in the same way by the method override, the CSRF check and the form parser", async () => {
    for (const type of odd) {
      const read = await send("/api/form", "name=x&qty=1", type);
      const isForm = read.status === 200;
      // Method override: a form with an unknown method is 400, any other body is passed on.
      const override = await send("/items/1", "_method=nothing", type);
      assert.equal(override.status === 400, isForm, `${type}: ${override.status}`);
      // CSRF check: without the header, only a form can contain the token.
      const guarded = await running.demo.app.request("/items", {
        method: "POST",
        headers: { cookie: running.alice.cookie, "content-type": type },
        body: `name=x&qty=1&csrf=${running.alice.token}`,
      });
      assert.equal(guarded.status === 303, isForm, `${type}: ${guarded.status}`);
    }
  });

  test("is refused if it is sent twice", async () => {
    for (const type of odd) {
      const statuses = [(await send("/api/json", "{}", type)).status, (await send("/api/form", "a=b", type)).status];
      assert.ok(statuses.includes(415), `${type}: ${statuses.join()}`);
    }
  });

  test("that is missing is neither JSON nor a form", async () => {
    for (const path of ["/api/json", "/api/form", "/api/items", "/items"]) {
      const headers = { cookie: running.alice.cookie, "x-csrf-token": running.alice.token };
      const { status } = await running.demo.app.request(path, { method: "POST", headers, body: Buffer.from("{}") });
      assert.equal(status, 415, path);
    }
  });
});
