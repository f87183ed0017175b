import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { html, type Html } from "../../html/index.ts";
import { Key } from "./request-source.ts";
import { Response, toResponse } from "./response.ts";

describe("a response", () => {
  test("is created with a status and headers", () => {
    const response = Response.text("a", {
      status: 201,
      headers: { "X-One": "1", "Content-Type": "text/csv", "x-two": ["2", "3"], "x-none": undefined },
    });
    assert.equal(response.status, 201);
    assert.deepEqual(response.headers.flat, ["x-one", "1", "content-type", "text/csv", "x-two", "2", "x-two", "3"]);
    assert.equal(response.header("X-TWO"), "2, 3");
    assert.equal(response.header("x-none"), undefined);
    assert.deepEqual(
      Response.text("", {
        headers: [
          ["a", "1"],
          ["a", "2"],
        ],
      }).headers.flat.slice(2),
      ["a", "1", "a", "2"],
    );
  });

  test("is immutable", () => {
    const response = Response.text("a");
    const before = [...response.headers.flat];
    response
      .withHeader("x", "1")
      .withAddedHeader("x", "2")
      .withCookie({ name: "a", value: "b" })
      .withoutHeader("content-type")
      .withStatus(404)
      .withBody("b");
    assert.deepEqual([response.status, response.headers.flat, response.body], [200, before, "a"]);
  });

  test("replaces, adds and removes headers by name", () => {
    const response = Response.empty(200, { headers: { a: "1", b: "2" } });
    assert.deepEqual(response.withHeader("A", "3").headers.flat, ["b", "2", "a", "3"]);
    assert.deepEqual(response.withAddedHeader("A", "3").headers.flat, ["a", "1", "b", "2", "a", "3"]);
    assert.deepEqual(response.withAddedHeader("A", "3").withoutHeader("A").headers.flat, ["b", "2"]);
    assert.equal(response.withoutHeader("c").headers.flat, response.headers.flat);
    assert.deepEqual(response.withDefaultHeaders({ a: "9", c: "3" }).headers.flat, ["a", "1", "b", "2", "c", "3"]);
    assert.deepEqual(response.withDefaultHeaders({ c: "3" }).headers.flat, ["a", "1", "b", "2", "c", "3"]);
  });

  test("replaces a cookie of exactly the same name", () => {
    const response = Response.empty()
      .withCookie({ name: "a", value: "1" })
      .withCookie({ name: "ab", value: "2" })
      .withCookie({ name: "a", value: "3" });
    const cookies = response.headers.flat.filter((_, at) => at % 2 === 1).map((line) => line.split(";", 1)[0]);
    assert.deepEqual(cookies, ["ab=2", "a=3"]);
  });

  test("refuses header names and values that would not form one header", () => {
    for (const value of ["a\r\nb", "a\nb", "a\rb", "a\0b", "\u2028", "日", "\u{1f600}", "\x7f"]) {
      assert.throws(() => Response.text("", { headers: { a: value } }), { code: "E_HEADER_INVALID" });
      assert.throws(() => Response.text("").withHeader("a", value), { code: "E_HEADER_INVALID" });
      assert.throws(() => Response.text("").withAddedHeader("a", value), { code: "E_HEADER_INVALID" });
    }
    for (const name of ["", "a b", "a:", "ä", "a\n"])
      assert.throws(() => Response.text("").withHeader(name, "1"), { code: "E_HEADER_INVALID" });
    assert.equal(Response.text("").withHeader("a", "\tü ").header("a"), "\tü ");
  });

  test("refuses statuses of responses that are not final", () => {
    for (const status of [0, 100, 101, 199, 600, 200.5, Number.NaN]) {
      assert.throws(() => Response.text("", { status }), { code: "E_STATUS_INVALID" });
      assert.throws(() => Response.empty(status), { code: "E_STATUS_INVALID" });
      assert.throws(() => Response.text("").withStatus(status), { code: "E_STATUS_INVALID" });
    }
    for (const status of [200, 599]) assert.equal(Response.empty(status).status, status);
  });

  test("carries attached values, which are not sent", () => {
    const [one, two] = [new Key<number>("one"), new Key<string>("one")];
    const response = Response.empty().withValue(one, 1).withValue(two, "2").withValue(one, 3);
    assert.deepEqual([response.get(one), response.get(two), response.headers.flat], [3, "2", []]);
    assert.equal(response.withHeader("a", "1").withStatus(500).get(one), 3);
    assert.equal(Response.empty().get(one), undefined);
  });
});

describe("a page", () => {
  test("accepts templates only", () => {
    assert.equal(Response.html(html`<p>${"<"}</p>`).body, "<p>&lt;</p>");
    for (const other of ["<p></p>", undefined, { toString: () => "<p></p>" }]) {
      assert.throws(() => Response.html(other as never), { code: "E_HTML_UNSAFE" });
    }
  });
});

describe("a page that is none", () => {
  test("is refused with the mistake that leads to it", () => {
    for (const [page, message] of [
      [Promise.resolve(html`a`), /received a promise .* Await it first\./],
      [() => html`a`, /received a function .* Is it not called\?/],
      ["<p></p>", /received a value of type string that .*`\. Write the page with html`…`, which escapes its values\./],
    ] as const)
      assert.throws(() => Response.html(page as never), { code: "E_HTML_UNSAFE", message });
  });
});

describe("a streamed page", () => {
  test("is sent as HTML, escaped as any other", async () => {
    async function* rows(): AsyncGenerator<Html> {
      yield html`<li>${await Promise.resolve("<b>")}</li>`;
    }
    const response = Response.html(
      html.stream`<ol>
        ${rows()}
      </ol>`,
      { status: 201 },
    ).toStandard();
    assert.deepEqual([response.status, response.headers.get("content-type")], [201, "text/html; charset=utf-8"]);
    assert.match(await response.text(), /^<ol>\s*<li>&lt;b&gt;<\/li>\s*<\/ol>$/);
  });

  test("does not accept an array that resembles one", () => {
    const lookalike = { *[Symbol.iterator]() {}, async *[Symbol.asyncIterator]() {} };
    assert.throws(() => Response.html(lookalike as never), { code: "E_HTML_UNSAFE" });
  });
});

describe("a JSON response", () => {
  test("refuse a body of another type, with the likely mistake", () => {
    const untyped = Response as unknown as Readonly<Record<string, (value: unknown) => Response>>;
    const generate = async function* (): AsyncGenerator<string> {};
    const wrong = [
      ["text", { a: 1 }, "a value of type object instead of a string. Response.json sends other values."],
      ["text", 42, "a value of type number instead of a string. Response.json sends other values."],
      ["text", undefined, "undefined instead of a string. Response.json sends other values. Is an `await` missing?"],
      [
        "text",
        Promise.resolve("a"),
        "a promise instead of a string. Response.json sends other values. Await it first.",
      ],
      ["bytes", "a", "a value of type string instead of a Uint8Array."],
      ["stream", generate, "a function instead of an iterable. Is it not called?"],
      ["events", generate, "a function instead of an iterable. Is it not called?"],
    ] as const;
    for (const [factory, value, problem] of wrong) {
      const message = `Response.${factory} got ${problem}`;
      assert.throws(() => untyped[factory]?.(value), { name: "TypeError", message });
    }
  });

  test("refuses values that JSON cannot represent", () => {
    for (const value of [undefined, () => 1, Symbol("a")]) assert.throws(() => Response.json(value), TypeError);
    for (const value of [Promise.resolve(1), { items: Promise.resolve([]) }, [Promise.resolve(1)]]) {
      assert.throws(() => Response.json(value), { name: "TypeError", message: /Await it first/ });
    }
    assert.equal(Response.json({ empty: {} }).body, '{"empty":{}}');
    assert.equal(Response.json(null).body, "null");
  });
});

describe("a redirect", () => {
  const location = (to: string, external = false): string | undefined =>
    Response.redirect(to, { external }).header("location");

  test("is 303 to a path of this site, encoded where necessary", () => {
    assert.equal(Response.redirect("/a").status, 303);
    assert.equal(Response.redirect("/a", { status: 307 }).status, 307);
    assert.equal(location("/"), "/");
    assert.equal(location("/日本?a=ü#ß"), "/%E6%97%A5%E6%9C%AC?a=%C3%BC#%C3%9F");
    assert.equal(location("/a b%20c?d=e&f=[1]"), "/a%20b%20c?d=e&f=[1]");
    assert.equal(location('/"<>\\^`{|}'), "/%22%3C%3E%5C%5E%60%7B%7C%7D");
    assert.equal(location("/a//b"), "/a//b");
    assert.equal(location("/\ud800"), "/%EF%BF%BD");
  });

  test("does not leave this site", () => {
    const evil = [
      "//evil.test",
      "/\\evil.test",
      "\\\\evil.test",
      "https://evil.test",
      "http:evil.test",
      "javascript:alert(1)",
      "evil",
      "",
      "?a",
      "./a",
    ];
    const tricks = ["/\t/evil.test", "/\n/evil.test", "\t//evil.test", " //evil.test", "/a\r\nx: y", "/\0"];
    for (const to of [...evil, ...tricks])
      assert.throws(() => location(to), { code: "E_REDIRECT_EXTERNAL" }, JSON.stringify(to));
  });

  test("says whether the slash at the start is missing", () => {
    for (const to of ["products", "products/1", "./a", "?a", "a?b=c"]) {
      assert.throws(() => location(to), { message: /has no slash at the start\. Use a path/ }, to);
    }
    for (const to of ["//evil.test", "\\evil.test", "https://evil.test", "javascript:alert(1)", "", "evil.test:80/a"])
      assert.throws(() => location(to), { message: /leaves this site\. Use a path/ }, to);
  });

  test("can leave it with external, for http and https only", () => {
    assert.equal(location("https://example.com/a b?c", true), "https://example.com/a%20b?c");
    assert.equal(location("/a", true), "/a");
    for (const to of [
      "javascript:alert(1)",
      "data:,a",
      "//evil.test",
      "https:/\\evil.test",
      "https://",
      "ftp://a/",
      "https://a b/",
    ]) {
      assert.throws(() => location(to, true), { code: "E_REDIRECT_EXTERNAL" }, to);
    }
  });
});

describe("a Fetch API response", () => {
  test("is converted with its status, headers and body", async () => {
    const standard = new globalThis.Response("body", {
      status: 202,
      headers: [
        ["x-a", "1"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ],
    });
    const response = toResponse(standard);
    assert.equal(response.status, 202);
    assert.deepEqual(
      response.headers.flat.filter((_, at) => response.headers.flat[at - 1] === "set-cookie"),
      ["a=1", "b=2"],
    );
    assert.equal(await response.toStandard().text(), "body");
    assert.equal(toResponse(globalThis.Response.error()).status, 500);
  });

  test("is created from every kind of body", async () => {
    const textOf = (response: Response): Promise<string> => response.toStandard().text();
    assert.equal(await textOf(Response.text("ü")), "ü");
    assert.equal(await textOf(Response.bytes(new Uint8Array([65]))), "A");
    assert.equal(await textOf(Response.stream(["a", Buffer.from("ü")])), "aü");
    assert.equal(await textOf(Response.file(import.meta.filename, { start: 0, length: 6 })), "import");
    for (const status of [204, 205, 304]) assert.equal(Response.text("a").withStatus(status).toStandard().body, null);
    assert.deepEqual(
      Response.empty()
        .withCookie({ name: "a", value: "1" })
        .withCookie({ name: "b", value: "2" })
        .toStandard()
        .headers.getSetCookie().length,
      2,
    );
  });

  test("is the only other accepted result", () => {
    for (const other of [undefined, null, "text", {}, { status: 200, headers: [], body: "" }]) {
      assert.throws(() => toResponse(other as never), { code: "E_RESPONSE_MISSING" });
    }
  });

  test("names what is missing if it is none", () => {
    for (const [other, start] of [
      [undefined, "A handler returned undefined instead of a response. Is a `return` missing? Return a"],
      [() => Response.empty(), "A handler returned a function instead of a response. Is it not called? Return a"],
      [Promise.resolve(), "A handler returned a promise instead of a response. Await it first. Return a"],
      ["text", "A handler returned a value of type string instead of a response. Return a"],
    ] as const)
      assert.throws(
        () => toResponse(other as never),
        ({ message }: Error) => message.startsWith(start),
      );
  });
});

test("a JSON response refuses a promise at any depth, and accepts empty objects", () => {
  for (const value of [Promise.resolve(), { a: Promise.resolve() }, [{ a: { b: [Promise.resolve()] } }]]) {
    assert.throws(() => Response.json(value), { name: "TypeError", message: /Await it first/ });
  }
  const cycle = { toJSON: () => ({}), self: {} };
  cycle.self = cycle;
  assert.equal(Response.json([{}, { a: {} }, "{}", cycle]).body, '[{},{"a":{}},"{}",{}]');
});

test("a promise that is refused does not end the process when it is rejected", async () => {
  const failing = (): never => Promise.reject(new Error("No connection")) as never;
  for (const respond of [
    () => Response.json({ items: failing(), count: failing() }),
    () => Response.html(failing()),
    () => Response.text(failing()),
    () => toResponse(failing()),
  ]) {
    assert.throws(respond);
  }
  // The test fails if a promise is not handled by then.
  await new Promise((resolve) => void setImmediate(resolve));
});
