import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultServerContext, Key } from "./request-source.ts";
import { FetchSource } from "./fetch-request.ts";
import { Request } from "./request.ts";
import { notOnBun } from "../server/live.test.ts";

const requestOf = (path: string, init?: RequestInit): Request =>
  Request.from(new globalThis.Request(`https://example.com${path}`, init));
const posted = (body: string | Uint8Array<ArrayBuffer>, type?: string, headers: Record<string, string> = {}): Request =>
  requestOf("/", {
    method: "POST",
    body: typeof body === "string" ? Buffer.from(body) : body,
    headers: type === undefined ? headers : { "content-type": type, ...headers },
  });
const form = (body: string, type = "application/x-www-form-urlencoded"): Promise<unknown> => posted(body, type).form();

describe("a request", () => {
  test("has method, path, target and URL", () => {
    const request = requestOf("/a%20b/?c=d#e", { method: "PUT" });
    assert.deepEqual(
      [request.method, request.path, request.target, request.scheme],
      ["PUT", "/a b", "/a%20b/?c=d", "https"],
    );
    assert.equal(request.url.href, "https://example.com/a%20b/?c=d");
  });

  test("has headers by name in any letter case, repeated ones joined", () => {
    const request = requestOf("/", {
      headers: [
        ["X-One", "1"],
        ["x-one", "2"],
      ],
    });
    assert.equal(request.header("X-ONE"), "1, 2");
    assert.equal(request.header("host"), "example.com");
    assert.equal(request.header("x-two"), undefined);
    assert.equal(request.header("__proto__"), undefined);
    assert.deepEqual(
      [...request.headers],
      [
        ["x-one", "1, 2"],
        ["host", "example.com"],
      ],
    );
  });

  test("has cookies, and returns the first of a name", () => {
    const request = requestOf("/", { headers: { cookie: "a=1; b=2; a=3" } });
    assert.deepEqual(
      [request.cookie("a"), request.cookie("c"), request.cookie("toString")],
      ["1", undefined, undefined],
    );
    assert.equal(request.cookies.length, 3);
  });

  test("has the identifier of a trusted proxy if it is valid, otherwise its own", () => {
    const idOf = (id: string, isFromTrustedProxy = true): string => {
      const sent = new globalThis.Request("http://localhost/", { headers: { "x-request-id": id } });
      return Request.fromSource(new FetchSource(sent, defaultServerContext, { isFromTrustedProxy })).id;
    };
    assert.match(idOf("a-B_9.", false), /^[0-9a-f]{16}$/);
    assert.equal(idOf("a-B_9."), "a-B_9.");
    assert.equal(idOf("a".repeat(128)), "a".repeat(128));
    for (const id of ["", "a b", "a\tb", "a".repeat(129), "a;b", "ü"]) assert.match(idOf(id), /^[0-9a-f]{16}$/);
    const many = new Set(Array.from({ length: 1000 }, () => requestOf("/").id));
    assert.equal(many.size, 1000);
    const request = requestOf("/");
    assert.equal(request.id, request.with({ method: "PUT" }).id);
  });

  test("is copied with changes, and shares cached parts and attached values", async () => {
    const key = new Key<number>("n");
    const request = posted("a=1", "application/x-www-form-urlencoded");
    const copy = request.with({ method: "DELETE", path: "/x", params: { id: "1" } });
    assert.deepEqual([copy.method, copy.path, copy.params], ["DELETE", "/x", { id: "1" }]);
    assert.deepEqual([request.method, request.path, { ...request.params }], ["POST", "/", {}]);
    copy.set(key, 5);
    assert.equal(request.get(key), 5);
    assert.equal(await request.form(), await copy.form());
    assert.equal(request.get(new Key<number>("n")), undefined);
  });

  const wishes: readonly (readonly [accept: string | undefined, kind: "html" | "json"])[] = [
    [undefined, "html"],
    ["", "html"],
    ["*/*", "html"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "html"],
    ["application/json", "json"],
    ["APPLICATION/JSON", "json"],
    ["application/problem+json", "json"],
    ["application/json, text/plain, */*", "json"],
    ["application/json;q=0.5, text/html", "html"],
    ["application/json, text/html;q=0.9", "json"],
    ["application/json;q=0.5, */*", "html"],
    ["application/json;q=0", "html"],
    ["application/json;q=abc", "html"],
    ["application/json;q=2", "html"],
    ["text/html, application/json", "html"],
    ["text/json", "html"],
    ["image/png", "html"],
  ];
  for (const [accept, kind] of wishes) {
    test(`with Accept ${accept ?? "missing"} wants ${kind}`, () => {
      const request = requestOf("/", accept === undefined ? {} : { headers: { accept } });
      assert.deepEqual([request.wants("html"), request.wants("json")], [kind === "html", kind === "json"]);
    });
  }

  const [page, json, v1, v2] = ["text/html", "application/json", "text/csv;version=1", "text/csv; version=2"] as const;
  const accepted: readonly (readonly [accept: string | undefined, type: string | undefined])[] = [
    [undefined, page],
    [" ", page],
    ["*/*", page],
    ["text/*", page],
    ["application/*", json],
    ["application/json, text/html", page],
    ["APPLICATION/JSON", json],
    ["text/html;q=0.5, application/json ; Q = 0.7", json],
    ["text/html;q=0, */*;q=0.1", json],
    ["*/*;q=0.9, text/html;q=0.2", json],
    ["text/*;q=0.9, text/html;q=0.2, application/json;q=0.3", v1],
    ["text/csv;version=2", v2],
    ["text/csv;version=1;q=0.4, text/csv;q=0.6", v2],
    ['text/csv; VERSION = "2"', v2],
    ['text/csv;note="a,b;c", application/json', json],
    ["text/csv;version=3", undefined],
    ["image/png", undefined],
    ["text", undefined],
    ["text/html;q=0", undefined],
    ["text/html;q=abc, application/json;q=2", undefined],
    ['"', undefined],
    [";", undefined],
  ];
  for (const [accept, type] of accepted) {
    test(`with Accept ${accept ?? "missing"} accepts ${type ?? "nothing"} of four types`, () => {
      const request = requestOf("/", accept === undefined ? {} : { headers: { accept } });
      assert.equal(request.accepts([page, json, v1, v2]), type);
    });
  }

  test("reads any Accept header in linear time", () => {
    // A quadratic algorithm would exceed the time limit of a test.
    for (const piece of [" ", '"', "=", ";", ",", "\\", '=" ']) {
      const accept = `application/json;a=${piece.repeat(1_000_000)}x"y`;
      assert.equal(requestOf("/", { headers: { accept } }).accepts(["image/png"]), undefined);
    }
  });
});

describe("a body", () => {
  test("is text, bytes, JSON or a form", async () => {
    assert.equal(await posted("grüße").text(), "grüße");
    assert.deepEqual(Buffer.from(await posted("ab").bytes()), Buffer.from("ab"));
    assert.deepEqual(await posted('{"a":1}', "application/json; charset=UTF-8").json(), { a: 1 });
    assert.deepEqual(await posted('{"a":1}', "application/vnd.api+json").json(), { a: 1 });
    assert.deepEqual(await form("a=1&b"), [
      ["a", "1"],
      ["b", ""],
    ]);
    assert.equal(await requestOf("/").text(), "");
  });

  test("can be read again, also as a stream, but not after it was read as a stream", async () => {
    const streamed = (request: Request): Promise<string> =>
      new globalThis.Response(request.body as ReadableStream<Uint8Array<ArrayBuffer>>).text();
    const request = posted("a");
    assert.equal(await request.text(), "a");
    assert.equal(await request.text(), "a");
    assert.equal(await streamed(request), "a");
    const other = posted("a");
    assert.equal(await streamed(other), "a");
    await assert.rejects(other.text(), { code: "E_BODY_USED" });
  });

  test("with another Content-Type is refused", async () => {
    const formTypes = [
      "text/plain",
      "application/json",
      "multipart/form-data; boundary=a",
      "application/x-www-form-urlencoded; charset=latin1",
      "application/x-www-form-urlencodedx",
      "a, application/x-www-form-urlencoded",
    ];
    for (const type of formTypes)
      await assert.rejects(form("a=1", type), { code: "E_CONTENT_TYPE", status: 415 }, type);
    await assert.rejects(posted("a=1").form(), { code: "E_CONTENT_TYPE" });
    for (const type of ["text/plain", "text/json", "application/jsonx", "application/json; charset=utf-16", "+json"]) {
      await assert.rejects(posted("{}", type).json(), { code: "E_CONTENT_TYPE" }, type);
    }
    for (const type of [
      "Application/X-WWW-Form-Urlencoded",
      "application/x-www-form-urlencoded ;charset=utf-8",
      'application/x-www-form-urlencoded; a=b; charset="UTF-8"',
    ]) {
      assert.deepEqual(await form("a=1", type), [["a", "1"]], type);
    }
  });

  test("that is compressed is refused", async () => {
    await assert.rejects(posted("a", undefined, { "content-encoding": "gzip" }).text(), {
      code: "E_BODY_ENCODING",
      status: 415,
    });
    assert.throws(() => posted("a", undefined, { "content-encoding": "br" }).body, { code: "E_BODY_ENCODING" });
    assert.equal(await posted("a", undefined, { "content-encoding": "Identity" }).text(), "a");
  });

  test(
    "that is not valid JSON is refused with the position, if the runtime tells it",
    notOnBun("its JSON errors have no position"),
    async () => {
      const refused = async (text: string): Promise<string> => {
        const request = posted(text, "application/json");
        return request.json().then(
          () => assert.fail(),
          (error: Error) => error.message,
        );
      };
      assert.equal(await refused("{\n  text: 1 }"), "The request body is not valid JSON at line 2, column 3.");
      assert.equal(await refused("text"), "The request body is not valid JSON.");
    },
  );

  test("that is not valid UTF-8 is refused", async () => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      await assert.rejects(posted(new Uint8Array(bytes)).text(), { code: "E_BODY_MALFORMED", status: 400 });
    }
    await assert.rejects(form("a=%ff"), { code: "E_BODY_MALFORMED" });
    await assert.rejects(form("a=%"), { code: "E_BODY_MALFORMED" });
  });

  test("respects the limit of the server, or of a middleware", async () => {
    const limited = (bodyLimit: number): Request =>
      Request.from(new globalThis.Request("http://a/", { method: "POST", body: "abc" }), { maxBodyBytes: bodyLimit });
    assert.equal(await limited(3).text(), "abc");
    await assert.rejects(limited(2).text(), { code: "E_BODY_TOO_LARGE", status: 413 });
    assert.equal(await limited(2).with({ maxBodyBytes: 3 }).text(), "abc");
  });

  test("has its parameters counted before it is parsed", async () => {
    await assert.rejects(form("a&".repeat(1000)), { code: "E_TOO_MANY_PARAMETERS", status: 400 });
    assert.equal(((await form(`a${"&a".repeat(999)}`)) as unknown[]).length, 1000);
    assert.throws(() => requestOf(`/?a${"&a".repeat(1000)}`).query, { code: "E_TOO_MANY_PARAMETERS" });
  });

  test("of JSON cannot change a prototype", async () => {
    const bodies = [
      '{"__proto__":{"admin":true}}',
      '{"a":{"__proto__":{"admin":true}}}',
      '{"\\u005f_proto__":{"admin":true}}',
      '{"__\\u0070roto__":{"admin":true}}',
      '{"constructor":{"prototype":{"admin":true}}}',
    ];
    for (const body of bodies) {
      const value = await posted(body, "application/json").json();
      const target: Record<string, unknown> = {};
      Object.assign(target, value);
      assert.equal(target["admin"], undefined, body);
      assert.equal(({} as Record<string, unknown>)["admin"], undefined);
    }
    assert.deepEqual(await posted('{"a":"__proto__","b":"\\u0070"}', "application/json").json(), {
      a: "__proto__",
      b: "p",
    });
  });
});
