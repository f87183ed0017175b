// Properties of every route and every page of the demo application.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Demo, makeDemo, publicFolder } from "./demo.ts";
import { person, type Person } from "./person.ts";
import { exchange, type WireAnswer } from "./wire.ts";

const folder = publicFolder();
let demo: Demo;
let alice: Person;
let port = 0;
let item = "";
before(async () => {
  demo = makeDemo({ directory: folder.path });
  port = await demo.start();
  alice = await person(demo.app);
  const made = await alice.send("POST", "/api/items", JSON.stringify({ name: "one", qty: 1, done: false }));
  item = (JSON.parse(made.body) as { id: string }).id;
});
after(async () => {
  await demo.stop();
  folder[Symbol.dispose]();
  assert.deepEqual(demo.faults, []);
});

async function ask(line: string, fields = ""): Promise<WireAnswer> {
  const request = `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${fields}\r\n`;
  const { answers } = await exchange(port, request, { heads: line.startsWith("HEAD ") });
  assert.equal(answers.length, 1, line);
  return answers[0] as WireAnswer;
}

const pages = (): string[] => [
  ..."/ /items /items/new /items?limit=1&filter=one /shown /session/a /session/a/b /nowhere /items/nothing".split(" "),
  ..."/assets/open.txt /assets/css/app.css /assets/nothing /health/live /health/ready".split(" "),
  ..."/api/items /api/query?a=b /api/cookies /api/url /api/path/a/b /api/medium /api/redirect?to=/a".split(" "),
  `/items/${item}`,
  `/items/${item}/edit`,
  `/shown/${item}`,
  `/api/items/${item}`,
];

const volatile = new Set(["date", "x-request-id", "set-cookie"]);
const lasting = ({ headers }: WireAnswer): string[][] =>
  headers.filter(([name]) => !volatile.has(name)).map(([name, value]) => [name, value.replace(/nonce-[^']+/, "")]);

describe("every page", () => {
  test("has the same status, headers and length for HEAD as for GET, and no body", async () => {
    for (const page of pages()) {
      const got = await ask(`GET ${page}`);
      const head = await ask(`HEAD ${page}`);
      assert.equal(head.status, got.status, page);
      assert.deepEqual(lasting(head), lasting(got), page);
      assert.equal(head.body, "", page);
    }
  });

  test("has the security headers, forbids sniffing, and is not cached if it sets a cookie", async () => {
    for (const page of [...pages(), "/%zz", "//"]) {
      for (const method of ["GET", "HEAD", "POST", "FOO"]) {
        const answer = await ask(`${method} ${page}`);
        assert.equal(answer.header("x-content-type-options"), "nosniff", `${method} ${page}`);
        if (method === "FOO") continue;
        for (const name of ["content-security-policy", "referrer-policy", "x-request-id"]) {
          assert.ok(answer.header(name) !== undefined, `${method} ${page}: ${name}`);
        }
        if (answer.header("set-cookie") !== undefined)
          assert.match(answer.header("cache-control") ?? "", /no-store/, page);
      }
    }
  });
});

describe("every address", () => {
  const addresses = (): (readonly [path: string, allow: string])[] => [
    ["/", "GET, HEAD, OPTIONS"],
    ["/items", "GET, HEAD, OPTIONS, POST"],
    // DELETE, PATCH and PUT are those of the item with the identifier "new".
    ["/items/new", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"],
    [`/items/${item}`, "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"],
    [`/items/${item}/edit`, "GET, HEAD, OPTIONS"],
    ["/api/items", "GET, HEAD, OPTIONS, POST"],
    [`/api/items/${item}`, "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"],
    ["/api/echo", "OPTIONS, POST"],
    ["/session/a", "GET, HEAD, OPTIONS"],
    ["/assets/open.txt", "GET, HEAD, OPTIONS"],
    ["/health/live", "GET, HEAD, OPTIONS"],
  ];
  const sorted = (allow: string | undefined): string => (allow ?? "").split(", ").toSorted().join(", ");
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

  test("answers OPTIONS with exactly its methods", async () => {
    for (const [path, allow] of addresses()) {
      const answer = await ask(`OPTIONS ${path}`);
      assert.deepEqual([answer.status, sorted(answer.header("allow"))], [204, allow], path);
    }
  });

  test("answers all other methods with 405 and the same methods", async () => {
    for (const [path, allow] of addresses()) {
      for (const method of methods.filter((one) => !allow.split(", ").includes(one))) {
        const answer = await ask(`${method} ${path}`);
        assert.deepEqual([answer.status, sorted(answer.header("allow"))], [405, allow], `${method} ${path}`);
      }
    }
  });

  test("that a resource omits is a 404", async () => {
    for (const [method, path] of [
      ["POST", "/shown"],
      ["GET", "/shown/new"],
      ["DELETE", `/shown/${item}`],
      ["PUT", `/shown/${item}`],
      ["PATCH", `/shown/${item}`],
      ["GET", `/shown/${item}/edit`],
    ] as const) {
      assert.equal((await ask(`${method} ${path}`)).status, 404, `${method} ${path}`);
    }
  });
});

test("a target with invalid escapes is refused, an unusual query is not, and neither is a 500", async () => {
  for (const target of [
    "/%",
    "/%zz",
    "/%ff",
    "/%c0%af",
    "/%00",
    "/a\\b",
    "/#x",
    "/items?filter=%ff",
    "/items?filter=%",
  ]) {
    assert.equal((await ask(`GET ${target}`)).status, 400, target);
  }
  for (const query of ["=x", "&&&", "a;b", "=", "?", "filter", "&filter=&limit=", "a=b=c"]) {
    assert.equal((await ask(`GET /items?${query}`)).status, 200, query);
  }
  assert.equal((await ask(`GET /${"a".repeat(8000)}`)).status, 404);
  assert.equal((await ask(`GET /${"a".repeat(17_000)}`)).status, 431);
});

test("a hundred pages have a hundred tokens, and each is valid more than once", async () => {
  const tokens = new Set<string>();
  for (let page = 0; page < 100; page++) {
    const { body } = await alice.get("/items/new");
    tokens.add(/name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? "");
  }
  assert.equal(tokens.size, 100);
  const post = async (csrf: string): Promise<number> => {
    const body = new URLSearchParams({ csrf, name: "again", qty: "1" });
    const headers = { cookie: alice.cookie, accept: "text/html" };
    return (await demo.app.request("/items", { method: "POST", headers, body })).status;
  };
  for (const token of tokens) assert.equal(await post(token), 303);
  const [first = ""] = tokens;
  for (let time = 0; time < 5; time++) assert.equal(await post(first), 303);
});

test("a cookie that was signed for another purpose is not accepted as a session", async () => {
  const made = await alice.post("/items", [
    ["name", "with a notice"],
    ["qty", "1"],
  ]);
  const flash =
    made.headers
      .getSetCookie()
      .find((line) => line.startsWith("_flash="))
      ?.split(";")[0] ?? "";
  assert.match(flash, /^_flash=.+/);
  const stolen = flash.replace("_flash", "_session");
  const body = new URLSearchParams({ csrf: alice.token, name: "owned", qty: "1" });
  assert.equal((await demo.app.request("/items", { method: "POST", headers: { cookie: stolen }, body })).status, 403);
  const { body: page } = await alice.get("/items", {
    cookie: `${alice.cookie}; ${alice.cookie.replace("_session", "_flash")}`,
  });
  assert.match(page, /<p id="notice"><\/p>/);
});

test("a session of 4,096 bytes is saved; one byte more fails and changes nothing", async () => {
  const keep = async (length: number): Promise<[status: number, cookie: string | undefined]> => {
    const answer = await ask(`GET /session/k/${"x".repeat(length)}`);
    return [answer.status, answer.header("set-cookie")?.split(";")[0]];
  };
  let length = 2900;
  while ((await keep(length + 1))[0] === 200) length++;
  const [, cookie = ""] = await keep(length);
  // Base64 encodes three bytes at a time.
  assert.ok(cookie.length - 1 <= 4096 && cookie.length - 1 > 4092, String(cookie.length));
  assert.deepEqual(await keep(length + 1), [500, undefined]);
  assert.equal(JSON.parse((await ask("GET /session/k", `Cookie: ${cookie}\r\n`)).body).value.length, length);
  const codes = demo.faults.splice(0).map(({ fields }) => (fields.error as { code?: string }).code);
  assert.deepEqual([...new Set(codes)], ["E_SESSION_TOO_LARGE"]);
});
