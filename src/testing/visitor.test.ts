import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "./replace.ts";
import { type Visitor, visitor } from "./visitor.ts";

/** Makes a visitor of an application that responds with the form fields it receives. */
const echoVisitor = (): Visitor =>
  visitor({
    request: async (input, init) => {
      const form = await new Request(new URL(input, "http://localhost"), init).formData();
      const sent = [...form].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
      return Response.json(sent);
    },
  });

test("sends several values under one name, with and without files", async () => {
  const fields = { title: "a", colours: ["red", "blue"], none: [] };
  const sent = [
    ["title", "a"],
    ["colours", "red"],
    ["colours", "blue"],
  ];
  assert.deepEqual(JSON.parse((await echoVisitor().post("/", fields)).body), sent);
  const files = [new File(["x"], "a.txt"), new File(["y"], "b.txt")];
  assert.deepEqual(JSON.parse((await echoVisitor().post("/", { ...fields, files })).body), [
    ...sent,
    ["files", "a.txt"],
    ["files", "b.txt"],
  ]);
});

test("sends the CSRF token of the last page with each form, and the method in a field", async () => {
  const tokens = [undefined, "token-1", undefined, "token-2"];
  const requests: string[] = [];
  const client = visitor({
    request: async (path, init) => {
      const request = new Request(new URL(path, "http://localhost"), init);
      const form = request.method === "POST" ? await request.text() : "";
      requests.push([request.method, path, request.headers.get("accept"), form].join(" "));
      assert.equal(request.headers.has("cookie"), false);
      const token = tokens.shift();
      return new Response(
        token === undefined ? "<p>" : `<input type="hidden" name="csrf" class="a" value="${token}"><b a="c">`,
      );
    },
  });
  await client.get("/");
  await client.post("/a", { x: "1" });
  await client.put("/b");
  await client.patch("/c", { x: "2" });
  await client.delete("/d", { csrf: "other" });
  assert.deepEqual(requests, [
    "GET / text/html ",
    "POST /a text/html x=1",
    "POST /b text/html csrf=token-1&_method=put",
    "POST /c text/html csrf=token-1&_method=patch&x=2",
    "POST /d text/html csrf=other&_method=delete",
  ]);
});

test("follows a redirect, and refuses to follow another page", async () => {
  const client = visitor({
    request: async (path) =>
      path === "/old" ? new Response("", { status: 303, headers: { location: "/new" } }) : new Response(`at ${path}`),
  });
  const page = await client.get("/old");
  assert.deepEqual([page.status, page.location], [303, "/new"]);
  const target = await client.follow(page);
  assert.deepEqual([target.body, target.location], ["at /new", undefined]);
  assert.throws(() => client.follow(target), { name: "TypeError", message: /not a redirect/ });
});

interface CookieTest {
  readonly visitor: Visitor;
  /** Makes the response of a URL set cookies. */
  readonly set: (url: string, ...headers: readonly string[]) => Promise<void>;
  /** Returns the `Cookie` header that the visitor sends to a URL. */
  readonly sentTo: (url: string) => Promise<string>;
}

/** Makes a visitor of an application that sets the cookies of a test and responds with the `Cookie` header. */
function cookieTest(): CookieTest {
  let setCookie: readonly string[] = [];
  const client = visitor({
    request: (path, init) => {
      const { headers } = new Request(new URL(path, "http://localhost"), init);
      const pairs = setCookie.map((header): [string, string] => ["set-cookie", header]);
      return Promise.resolve(new Response(headers.get("cookie") ?? "", { headers: pairs }));
    },
  });
  return {
    visitor: client,
    set: async (url, ...headers) => {
      setCookie = headers;
      await client.get(url);
      setCookie = [];
    },
    sentTo: async (url) => (await client.get(url)).body,
  };
}

describe("the cookies of a visitor (RFC 6265bis)", () => {
  test("are sent in the order in which they were set, longer paths first", async () => {
    const { set, sentTo, visitor: client } = cookieTest();
    await set("/", "a=1", "b=2; Path=/", "c=3; Path=/docs", "d=4; Path=/docs/deep");
    assert.equal(await sentTo("/docs/deep/page"), "d=4; c=3; a=1; b=2");
    await set("/", "a=5; Path=/");
    assert.equal(await sentTo("/"), "a=5; b=2", "a new value keeps the position");
    assert.deepEqual([...client.cookies.keys()], ["a", "b", "c", "d"]);
  });

  test("end at their Max-Age", async () => {
    using clock = fakeClock();
    const { set, sentTo, visitor: client } = cookieTest();
    await set("/", "a=1; Max-Age=60", "b=2; max-age=61", "c=3; Max-Age=soon", "d=4; Max-Age=", "e=5; Max-Age=1.5");
    await clock.advance(59_999);
    assert.equal(await sentTo("/"), "a=1; b=2; c=3; d=4; e=5");
    await clock.advance(1);
    assert.equal(await sentTo("/"), "b=2; c=3; d=4; e=5");
    assert.deepEqual([...client.cookies.keys()], ["b", "c", "d", "e"]);
  });

  test("are deleted by a Max-Age of zero and by a negative one", async () => {
    const { set, sentTo, visitor: client } = cookieTest();
    await set("/", "a=1; Path=/", "b=2; Path=/", "c=3; Path=/");
    await set("/", "a=; Path=/; Max-Age=0", "b=; Path=/; Max-Age=-1", "c=; Path=/; Max-Age=-99999999999999999999");
    assert.deepEqual([await sentTo("/"), client.cookies.size], ["", 0]);
  });

  test("end at their Expires, unless Max-Age says otherwise", async () => {
    using clock = fakeClock(new Date("2030-01-01T00:00:00Z"));
    const { set, sentTo } = cookieTest();
    await set(
      "/",
      "a=1; Expires=Tue, 01 Jan 2030 00:00:10 GMT",
      "b=2; expires=Tuesday, 01-Jan-30 00:00:10 UTC",
      "c=3; Expires=Tue Jan  1 00:00:10 2030",
      "d=4; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60",
      "e=5; Max-Age=0; Expires=Wed, 02 Jan 2030 00:00:00 GMT",
      "f=6; Expires=never",
      "g=7; Expires=Tue, 01 Jan 1980 00:00:00 GMT",
      "h=8; Expires=Thu, 01-Jan-70 00:00:00 GMT",
      "i=9; Expires=Tue, 31 Feb 2029 00:00:00 GMT",
      "j=10; Expires=Tue, 01 Jan 2030 24:00:00 GMT",
    );
    assert.equal(await sentTo("/"), "a=1; b=2; c=3; d=4; f=6; i=9; j=10", "dates that do not exist are ignored");
    await clock.advance(10_000);
    assert.equal(await sentTo("/"), "d=4; f=6; i=9; j=10");
  });

  test("have dates in many formats, read as RFC 6265bis says, or ignored", async () => {
    using clock = fakeClock();
    const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
    const ignoredDates = [
      "1 Feb 2030, Feb 2030 00:00:00, 1 2030 00:00:00, 1 Feb 00:00:00",
      "1 Feb 2030 24:00:00, 1 Feb 2030 00:60:00, 1 Feb 2030 00:00:60, 1 Feb 2030 00:00:000",
      "1 Feb 2030 000:00:00, 1 Feb 2030 x00:00:00, a1 Feb 2030 00:00:00, 100 Feb 2030 00:00:00",
      "1 Feb 20301 00:00:00, 1 Feb a2030 00:00:00, 1 Fe 2030 00:00:00, 0 Feb 2030 00:00:00",
      "30 Feb 2030 00:00:00, 1 Jan 1600 00:00:00, 1 Jan 100 00:00:00",
    ].flatMap((list) => list.split(", "));
    const dates: readonly (readonly [text: string, expected: string | undefined])[] = [
      ...months.map((month, index): [string, string] => [
        `02 ${month} 2030 03:04:05`,
        `2030-${String(index + 1).padStart(2, "0")}-02T03:04:05Z`,
      ]),
      ["1:2:3 5 MARCH 2030", "2030-03-05T01:02:03Z"],
      ["23:59:59 31 december 30", "2030-12-31T23:59:59Z"],
      ["2030/Feb/1/00:00:10a", "2030-02-01T00:00:10Z"],
      ["1st Feb 2030AD 00:00:10", "2030-02-01T00:00:10Z"],
      ["1 Feb 2030 00:00:10 00:00:20 Mar 2029", "2030-02-01T00:00:10Z"],
      ...ignoredDates.map((text): [string, undefined] => [text, undefined]),
    ];
    for (const [text, expected] of dates) {
      const { set, sentTo } = cookieTest();
      clock.set(new Date("2030-01-01T00:00:00Z"));
      await set("/", `a=1; Expires=${text}`);
      const expiresAt = Date.parse(expected ?? "2031-02-01T00:00:00Z");
      clock.set(new Date(expiresAt - 1));
      assert.equal(await sentTo("/"), "a=1", text);
      clock.set(new Date(expiresAt));
      assert.equal(await sentTo("/"), expected === undefined ? "a=1" : "", text);
    }
    for (const past of ["1 Jan 1601 00:00:00", "1 Jan 99 00:00:00", "1 Jan 70 00:00:00", "31 Dec 1999 23:59:59"]) {
      const { set, sentTo } = cookieTest();
      await set("/", `a=1; Expires=${past}`);
      assert.equal(await sentTo("/"), "", past);
    }
  });

  test("end after 400 days at the latest", async () => {
    using clock = fakeClock(new Date("2030-01-01T00:00:00Z"));
    const { set, sentTo } = cookieTest();
    await set("/", "a=1; Max-Age=99999999999999999999", "b=2; Expires=Mon, 01 Jan 2035 00:00:00 GMT", "c=3");
    await clock.advance(400 * 24 * 60 * 60_000 - 1);
    assert.equal(await sentTo("/"), "a=1; b=2; c=3");
    await clock.advance(1);
    assert.equal(await sentTo("/"), "c=3");
  });

  test("are sent below their path only", async () => {
    const { set, sentTo } = cookieTest();
    await set("/", "a=1; Path=/docs", "b=2; Path=/docs/");
    assert.equal(await sentTo("/docs"), "a=1");
    assert.equal(await sentTo("/docs?page=2"), "a=1");
    assert.equal(await sentTo("/docs/"), "b=2; a=1");
    assert.equal(await sentTo("/docs/page"), "b=2; a=1");
    for (const path of ["/", "/docsother", "/doc", "/Docs"]) assert.equal(await sentTo(path), "", path);
  });

  test("belong to the folder of the request if they name no path", async () => {
    const { set, sentTo } = cookieTest();
    await set("/account/login?next=/a/b", "a=1", "b=2; Path", "c=3; Path=relative");
    await set("/login", "d=4");
    assert.equal(await sentTo("/account/profile"), "a=1; b=2; c=3; d=4");
    assert.equal(await sentTo("/account"), "a=1; b=2; c=3; d=4");
    assert.equal(await sentTo("/"), "d=4");
  });

  test("ignore an attribute of more than 1,024 bytes", async () => {
    const { set, sentTo } = cookieTest();
    const path = `/${"x".repeat(1023)}`;
    await set("/a/b", `a=1; Path=${path}`, `b=2; Path=${path}x`);
    assert.deepEqual([await sentTo(path), await sentTo(`${path}x`), await sentTo("/a")], ["a=1", "", "b=2"]);
  });

  test("of one name and several paths are separate", async () => {
    const { set, sentTo, visitor: client } = cookieTest();
    await set("/", "a=root; Path=/", "a=docs; Path=/docs");
    assert.equal(await sentTo("/docs"), "a=docs; a=root");
    await set("/", "a=; Path=/docs; Max-Age=0");
    assert.deepEqual([await sentTo("/docs"), client.cookies.get("a")], ["a=root", "root"]);
    await set("/", "b=docs; Path=/docs", "b=root; Path=/");
    assert.equal(client.cookies.get("b"), "docs", "the longest path wins");
  });

  test("belong to their host, or to the domain that they name", async () => {
    const { set, sentTo } = cookieTest();
    await set("https://www.example.com/", "a=1", "b=2; Domain=example.com", "c=3; Domain=.EXAMPLE.com");
    await set(
      "https://www.example.com/",
      "d=4; Domain=other.com",
      "e=5; Domain=ple.com",
      "f=6; Domain=a.www.example.com",
    );
    assert.equal(await sentTo("https://www.example.com/"), "a=1; b=2; c=3");
    assert.equal(await sentTo("https://example.com/"), "b=2; c=3");
    assert.equal(await sentTo("https://badexample.com/"), "");
    assert.equal(await sentTo("/"), "");
    await set("http://127.0.0.1/", "a=1; Domain=0.0.1", "b=2; Domain=127.0.0.1");
    assert.equal(await sentTo("http://127.0.0.1/"), "b=2");
    assert.equal(await sentTo("http://127.0.0.1:8080/"), "b=2", "ports share cookies");
    assert.equal(await sentTo("https://other.com/"), "");
    await set("https://example.org/", "a=1");
    assert.equal(await sentTo("https://www.example.org/"), "", "a host's cookie is not sent to its subdomains");
    for (const [host, domain] of [
      ["www.intranet1", "intranet1"],
      ["1.example.net", "example.net"],
      ["[::1]", "[::1]"],
    ] as const) {
      await set(`http://${host}/`, `a=1; Domain=${domain}`);
      assert.equal(await sentTo(`http://${host}/`), "a=1", host);
    }
  });

  test("with Secure go over https and to this machine only", async () => {
    const { set, sentTo } = cookieTest();
    await set("https://example.com/", "a=1; Secure", "b=2");
    assert.equal(await sentTo("https://example.com/"), "a=1; b=2");
    assert.equal(await sentTo("http://example.com/"), "b=2");
    await set("http://example.com/", "a=overwritten", "c=3; Secure", "d=4");
    assert.equal(await sentTo("https://example.com/"), "a=1; b=2; d=4");
    await set("/", "a=1; Secure");
    assert.equal(await sentTo("/"), "a=1", "browsers treat http://localhost as https");
    for (const host of ["127.0.0.1", "127.1.2.3", "[::1]", "app.localhost"]) {
      await set(`http://${host}/`, "a=1; Secure");
      assert.equal(await sentTo(`http://${host}/`), "a=1", host);
    }
    for (const host of ["notlocalhost", "localhost.example.com", "128.0.0.1", "127.0.0.1.example.com"]) {
      await set(`http://${host}/`, "a=1; Secure");
      assert.equal(await sentTo(`http://${host}/`), "", host);
    }
  });

  test("without Secure do not shadow one with Secure, unless they come over https", async () => {
    const { set, sentTo } = cookieTest();
    await set("https://www.example.com/", "a=1; Secure; Domain=example.com; Path=/docs", "b=1; Secure");
    await set("http://www.example.com/", "a=2; Path=/docs/deep", "a=3; Path=/", "b=2; Domain=example.com");
    await set("http://example.com/", "a=4; Path=/docs");
    assert.equal(await sentTo("https://www.example.com/docs/deep"), "a=1; b=1; a=3");
    await set("https://www.example.com/", "b=5");
    assert.equal(await sentTo("http://www.example.com/"), "b=5; a=3");
  });

  test("are refused if they contradict the prefix of their name", async () => {
    const { set, sentTo } = cookieTest();
    await set("/", "__Secure-a=1", "__Host-a=1; Secure", "__host-b=1; Path=/", "__Host-c=1; Secure; Path=/a");
    await set("/", "__Host-d=1; Secure; Path=/; Domain=localhost", "=__Host-e=1; Secure; Path=/");
    assert.equal(await sentTo("/"), "");
    await set("/", "__Secure-a=1; Secure", "__Host-a=2; Secure; Path=/");
    assert.equal(await sentTo("/"), "__Secure-a=1; __Host-a=2");
    await set(
      "/",
      "__Secure-a=; Secure; Max-Age=0",
      "__Host-a=; Secure; Path=/; Max-Age=0",
      "my__Host-a=1",
      "my__Secure-a=1",
    );
    assert.equal(await sentTo("/"), "my__Host-a=1; my__Secure-a=1");
  });

  test("without a value or without a name are stored as browsers do", async () => {
    const { set, sentTo, visitor: client } = cookieTest();
    await set("/", "empty=", "a = 1 \t; Path=/", "equals==b=", "nameless", "", "=", ";Path=/");
    assert.equal(await sentTo("/"), "empty=; a=1; equals==b=; nameless");
    assert.deepEqual(
      [...client.cookies],
      [
        ["empty", ""],
        ["a", "1"],
        ["equals", "=b="],
        ["", "nameless"],
      ],
    );
  });

  test("of more than 4,096 bytes are refused, and so is SameSite=None without Secure", async () => {
    const { set, sentTo } = cookieTest();
    await set("/", `a=${"x".repeat(4096)}`, `b=${"x".repeat(4095)}`);
    assert.equal(await sentTo("/"), `b=${"x".repeat(4095)}`);
    await set("/", "b=; Max-Age=0", "c=1; SameSite=None", "d=1; SameSite=None; Secure", "e=1; SameSite=Strict");
    assert.equal(await sentTo("/"), "d=1; e=1");
  });
});
