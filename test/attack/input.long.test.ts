// Invalid input through query, path, form, JSON and cookies, down to the database.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Form, Schema, Web } from "limmat";
import { Row, sql as statement } from "limmat/database";
import { canary, type Demo, makeDemo } from "./demo.ts";
import { keys, naughty, refusedTexts, sql } from "./hostile.ts";
import { person, type Person, shown } from "./person.ts";

const order = Schema.record({
  address: Schema.optional(Schema.record({ street: Schema.string({ min: 1 }) })),
  tags: Schema.list(Schema.string()),
  lines: Schema.list(Schema.record({ title: Schema.string({ min: 1 }), notes: Schema.list(Schema.string()) })),
});
const readOrder = (request: Web.Request): Promise<Web.Response> => {
  const isJson = request.header("content-type") === "application/json";
  const decoded = isJson ? request.json().then(order.decodeJson) : request.form().then(order.decode);
  return decoded.then(({ form, value }) =>
    Web.Response.json({ value, errors: Form.errors(form) }, { status: value === undefined ? 422 : 200 }),
  );
};

let demo: Demo;
let alice: Person;
before(async () => {
  demo = makeDemo({ directory: "/nonexistent", routes: [Web.post("/order", readOrder)] });
  await demo.start();
  alice = await person(demo.app);
});
beforeEach(async () => {
  await demo.database.exec(statement`delete from items`);
});
after(async () => {
  assert.deepEqual(await sentinels(), [canary]);
  await demo.stop();
  assert.deepEqual(demo.faults, []);
  assert.equal(({} as Record<string, unknown>)["admin"], undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
});

const sentinels = (): Promise<readonly string[]> =>
  demo.database.collect(statement.row(Row.value(Row.text))`select word from sentinels`);

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly qty: number;
  readonly done: boolean;
}
const listed = async (query = ""): Promise<{ data: Listed[]; total: number }> => {
  const { status, body } = await alice.get(`/api/items${query}`);
  assert.equal(status, 200, body);
  return JSON.parse(body) as { data: Listed[]; total: number };
};
const add = async (name: string): Promise<Listed> => {
  const { status, body } = await alice.send("POST", "/api/items", JSON.stringify({ name, qty: 1, done: false }));
  assert.equal(status, 201, body);
  return JSON.parse(body) as Listed;
};
const fields = (name: string, qty = "1"): [string, string][] => [
  ["name", name],
  ["qty", qty],
];

describe("names of built-in object properties", () => {
  test("are ordinary fields of a form", async () => {
    const { status, body } = await alice.send(
      "POST",
      "/api/form",
      new URLSearchParams(keys.map((key) => [key, "x"])).toString(),
      "application/x-www-form-urlencoded",
    );
    assert.equal(status, 200);
    assert.deepEqual(
      JSON.parse(body),
      keys.map((key) => [key, "x"]),
    );
  });

  test("are ordinary query parameters and cookies", async () => {
    const query = new URLSearchParams(keys.map((key) => [key, "x"])).toString();
    assert.deepEqual(
      JSON.parse((await alice.get(`/api/query?${query}`)).body),
      keys.map((key) => [key, "x"]),
    );
    const names = keys.filter((key) => /^[\w$.]+$/.test(key));
    const cookie = names.map((name) => `${name}=x`).join("; ");
    assert.deepEqual(
      JSON.parse((await alice.get("/api/cookies", { cookie })).body),
      names.map((name) => [name, "x"]),
    );
  });

  test("are keys of a JSON body that do not change a prototype", async () => {
    for (const key of ["__proto__", "\\u005f_proto__", "__pro\\u0074o__"]) {
      const sent = `{"${key}":{"admin":true},"name":"x","qty":1,"done":true}`;
      const { status, body } = await alice.send("POST", "/api/json", sent);
      assert.equal(status, 200);
      assert.doesNotMatch(body, /admin/);
      assert.equal((await alice.send("POST", "/api/items", sent)).status, 201);
    }
    for (const key of keys) {
      const sent = JSON.stringify({ [key]: { admin: true }, constructor: { prototype: { admin: true } }, name: "x" });
      assert.notEqual((await alice.send("POST", "/api/items", sent)).status, 500);
      assert.equal(({} as Record<string, unknown>)["admin"], undefined, key);
    }
  });

  test("are ordinary keys of a session", async () => {
    for (const key of keys.filter((one) => /^[\w$]+$/.test(one))) {
      const set = await alice.get(`/session/${key}/value`);
      const cookie = set.headers
        .getSetCookie()
        .map((line) => line.split(";")[0])
        .join("; ");
      assert.deepEqual(JSON.parse((await alice.get(`/session/${key}`, { cookie })).body), { value: "value" }, key);
      assert.deepEqual(JSON.parse((await alice.get(`/session/${key}`)).body), { value: null }, key);
    }
  });
});

describe("names of nested fields", () => {
  const formType = "application/x-www-form-urlencoded";
  const post = (names: readonly string[]) =>
    alice.send("POST", "/order", new URLSearchParams(names.map((name) => [name, "x"])).toString(), formType);

  test("only reach the fields of the schema", async () => {
    const places = ["", "address.", "lines.", "lines.0.", "lines.0.notes.", "tags.", "tags.0."];
    for (const place of places) {
      for (const key of keys.flatMap((one) => [one, `${one}.admin`, `${one}.prototype.admin`, `${one}[admin]`])) {
        const { status, body } = await post([`${place}${key}`]);
        assert.ok(status === 200 || status === 422, `${place}${key}: ${status}`);
        assert.doesNotMatch(body, /admin/, `${place}${key}`);
      }
    }
    assert.equal(({} as Record<string, unknown>)["admin"], undefined);
  });

  test("create no list longer than the input, and no level deeper than the schema", async () => {
    const far = ["4294967296", "999999999999999", "9007199254740993", "1e9", "-1", "9".repeat(1000)];
    const { status, body } = await post(far.map((index) => `lines.${index}.title`));
    assert.deepEqual([status, (JSON.parse(body) as { value: { lines: unknown[] } }).value.lines.length], [200, 2]);
    const many = await post(Array.from({ length: 1000 }, (_, index) => `lines.${index * 1_000_003}.notes.${index}`));
    assert.equal(many.status, 422);
    assert.match(many.body, /at most 100 entries/);
    const deep = await post([
      `address${".street".repeat(50_000)}`,
      `lines${".0".repeat(100_000)}`,
      ".".repeat(100_000),
    ]);
    assert.equal(deep.status, 422);
  });

  test("have the same limits in JSON", async () => {
    const nested = "[".repeat(200_000) + "]".repeat(200_000);
    for (const body of [
      `{"lines":${nested},"tags":[]}`,
      `{"lines":[],"tags":[${"[".repeat(1000)}${"]".repeat(1000)}]}`,
      `{"lines":[{"title":"x","notes":${nested}}],"tags":[]}`,
      `{"lines":[],"tags":[${'"x",'.repeat(200_000)}"x"]}`,
      `{"lines":[],"tags":{"length":4294967295}}`,
      `{"lines":[],"tags":[],"address":${nested}}`,
    ]) {
      const { status } = await alice.send("POST", "/order", body);
      assert.equal(status, 422, body.slice(0, 40));
    }
  });
});

describe("fields that the schema does not have", () => {
  test("are ignored, in a form and in JSON", async () => {
    const item = await add("before");
    const extra = { id: "00000000-0000-4000-8000-000000000000", admin: "1", created_at: "1999-01-01T00:00:00Z" };
    const more = { ...extra, updated_at: "1999-01-01", password: "x", user_id: "1", rowid: "1", word: "x" };
    const row = statement`select id, qty, done, created_at from items`;
    const [kept] = await demo.database.collect(row);
    const form = await alice.post(`/items/${item.id}`, [...fields("after"), ...Object.entries(more)], "put");
    assert.equal(form.status, 303);
    assert.deepEqual(await demo.database.collect(row), [kept]);
    const json = JSON.stringify({ name: "later", qty: 1, done: false, ...more });
    assert.equal((await alice.send("PUT", `/api/items/${item.id}`, json)).status, 200);
    assert.deepEqual(await demo.database.collect(row), [kept]);
    assert.equal((await listed()).data[0]?.name, "later");
    assert.equal((await alice.post("/items", [...fields("new"), ...Object.entries(more)])).status, 303);
    assert.deepEqual(
      (await listed("?filter=new")).data.map(({ id }) => id === extra.id),
      [false],
    );
  });
});

describe("SQL in a value", () => {
  test("of a filter matches only itself", async () => {
    await add("harmless");
    for (const text of sql.filter((one) => !one.includes("\0"))) {
      const { data } = await listed(`?filter=${encodeURIComponent(text)}`);
      assert.deepEqual(data, "harmless".includes(text) ? data : [], text);
    }
  });

  test("of sort, limit, offset and cursors is refused", async () => {
    for (const text of sql) {
      for (const key of ["sort", "limit", "offset", "after", "before"]) {
        const { status, body } = await alice.get(`/items?${key}=${encodeURIComponent(text)}`);
        assert.equal(status, 400, `${key}=${text}`);
        assert.doesNotMatch(body, new RegExp(canary));
      }
    }
  });

  test("of an id is a 404", async () => {
    const item = await add("x");
    for (const text of sql.filter((one) => !/[/\\\0]/.test(one) && one !== ";")) {
      for (const id of [text, item.id + text]) {
        for (const path of [`/items/${encodeURIComponent(id)}`, `/items/${encodeURIComponent(id)}/edit`]) {
          assert.equal((await alice.get(path)).status, 404, path);
        }
      }
    }
  });

  test("of a field is stored unchanged", async () => {
    const texts = sql.filter((one) => !one.includes("\0") && one.trim() !== "");
    for (const text of texts) assert.equal((await alice.post("/items", fields(text))).status, 303, text);
    const { data, total } = await listed("?limit=1000&sort=asc");
    assert.equal(total, texts.length);
    assert.deepEqual(new Set(data.map(({ name }) => name)), new Set(texts));
    for (const text of sql) assert.notEqual((await alice.post("/items", fields("x", text))).status, 500, text);
  });

  test("of a cookie or a header does not reach the database", async () => {
    for (const text of sql.filter((one) => /^[\x20-\x7e]*$/.test(one))) {
      const headers = { cookie: `_session=${text}; _flash=${text}`, "x-forwarded-for": text, "user-agent": text };
      assert.equal((await alice.get("/items", headers)).status, 200, text);
    }
  });
});

describe("a filter", () => {
  test("matches wildcards and quotes literally", async () => {
    const names = ["100%", "100 %", "a_b", "axb", "a\\b", "a\\\\b", "it's", 'say "x"', "%", "_", "\\", "😀", "ß", "ÄÖ"];
    for (const name of names) await add(name);
    for (const name of names) {
      const expected = names.filter((other) => other.includes(name)).toSorted();
      const { data, total } = await listed(`?filter=${encodeURIComponent(name)}`);
      assert.deepEqual([data.map((item) => item.name).toSorted(), total], [expected, expected.length], name);
    }
  });

  test("is refused over 256 characters and with NUL, and is never too complex", async () => {
    for (const text of ["a".repeat(256), "😀".repeat(256), "%".repeat(256), "_".repeat(256), "%a".repeat(128)]) {
      assert.equal((await alice.get(`/items?filter=${encodeURIComponent(text)}`)).status, 200);
    }
    for (const text of ["a".repeat(257), "😀".repeat(257), "%".repeat(300), "a".repeat(60_000), "\0", "a\0b"]) {
      assert.equal((await alice.get(`/items?filter=${encodeURIComponent(text)}`)).status, 422);
    }
  });

  test("finds every text", async () => {
    const texts = naughty.filter((text) => text.trim() !== "").slice(0, 150);
    for (const text of texts) await add(text);
    for (const text of texts) {
      const { data } = await listed(`?limit=1000&filter=${encodeURIComponent(text)}`);
      assert.ok(
        data.some(({ name }) => name === text),
        text,
      );
    }
  });
});

const noNumbers = [
  ..."-1 +1 -0 1e3 1e30 NaN Infinity 5.5 5. .5 0x10 0b1 1_000 1,000 null undefined true five 5;x 5' 5-- [] {}".split(
    " ",
  ),
  " 5 ",
  "5 ",
  "\t5",
  "５",
  "٥",
  "5\0",
  "5\n",
  "½",
];

describe("the numbers of a query", () => {
  for (const key of ["limit", "offset"]) {
    test(`are decimal digits: ${key}`, async () => {
      for (const text of noNumbers) {
        assert.equal((await alice.get(`/items?${key}=${encodeURIComponent(text)}`)).status, 400, text);
      }
      assert.equal((await alice.get(`/items?${key}=5&${key}=6`)).status, 400);
      assert.equal((await alice.get(`/items?${key}=`)).status, 200);
      assert.equal((await alice.get(`/items?${key}[]=5&${key}.x=6`)).status, 200);
    });
  }

  test("never return the whole table", async () => {
    const now = new Date();
    for (const at of Array(1005).keys()) {
      await demo.database.exec(statement`insert into items (id, name, qty, done, created_at, updated_at)
        values (${crypto.randomUUID()}, ${`n${at}`}, 1, ${false}, ${now}, ${now})`);
    }
    for (const limit of ["1001", "4294967296", "9".repeat(20), "9".repeat(400)]) {
      assert.equal((await listed(`?limit=${limit}`)).data.length, 1000, limit);
    }
    assert.equal((await alice.get("/items?limit=0")).status, 400);
    for (const offset of ["9".repeat(20), "9".repeat(400), "9007199254740992"]) {
      assert.equal((await alice.get(`/items?offset=${offset}`)).status, 400, offset);
    }
    assert.deepEqual((await listed("?offset=9007199254740991")).data, []);
    assert.equal((await listed()).data.length, 50);
  });
});

describe("a field", () => {
  test("stores every text unchanged, with line breaks as LF", async () => {
    const texts = naughty.filter((text) => text.trim() !== "");
    for (const text of texts) {
      const answer = await alice.post("/items", fields(text));
      assert.equal(answer.status, 303, JSON.stringify(text));
    }
    const { data } = await listed("?limit=1000");
    const names = new Set(data.map(({ name }) => name));
    assert.deepEqual(
      texts.filter((text) => !names.has(text.replaceAll(/\r\n?/g, "\n"))),
      [],
    );
    assert.equal(data.length, texts.length);
  });

  test("shows every text again in an invalid form", async () => {
    for (const text of naughty) {
      const answer = await alice.post("/items", fields(text, "many"));
      assert.equal(answer.status, 422, JSON.stringify(text));
      assert.equal(shown(answer.body, "name"), text);
      assert.equal(shown(answer.body, "qty"), "many");
      assert.equal(shown(answer.body, "qty-error"), "Please enter a whole number");
    }
    assert.equal((await listed()).total, 0);
  });

  test("refuses texts that databases store differently", async () => {
    for (const text of refusedTexts) {
      const json = JSON.stringify({ name: text, qty: 1, done: false });
      assert.equal((await alice.send("POST", "/api/items", json)).status, 422, JSON.stringify(text));
      if (!text.isWellFormed()) continue;
      const answer = await alice.post("/items", fields(text));
      assert.deepEqual(
        [answer.status, shown(answer.body, "name-error")],
        [422, "This contains a character that cannot be stored"],
      );
    }
    assert.equal((await alice.post("/items", fields("a".repeat(256)))).status, 422);
    assert.equal((await alice.post("/items", fields("😀".repeat(256)))).status, 422);
    assert.equal((await listed()).total, 0);
  });

  test("of a number accepts digits within its limits", async () => {
    const wrong = [...noNumbers.filter((text) => !["+1", "-0"].includes(text)), "2147483648", "9007199254740993", "-1"];
    for (const text of [...wrong, "9".repeat(400), "1".repeat(100_000)]) {
      const answer = await alice.post("/items", fields("x", text));
      assert.equal(answer.status, 422, text.slice(0, 50));
      assert.notEqual(shown(answer.body, "qty-error"), "");
    }
    for (const [text, value] of [
      ["0", 0],
      ["2147483647", 2_147_483_647],
      ["007", 7],
      ["+1", 1],
      ["-0", 0],
    ] as const) {
      await demo.database.exec(statement`delete from items`);
      assert.equal((await alice.post("/items", fields("x", text))).status, 303, text);
      assert.ok(Object.is((await listed()).data[0]?.qty, value), text);
    }
  });

  test("of a choice accepts the values of a checkbox", async () => {
    for (const text of ["yes", "2", "TRUE", "True", "on ", "tru", "null", "[]", "１", "\0"]) {
      assert.equal((await alice.post("/items", [...fields("x"), ["done", text]])).status, 422, text);
    }
    for (const text of ["true", "on", "1"]) {
      assert.equal((await alice.post("/items", [...fields(`yes ${text}`), ["done", text]])).status, 303, text);
    }
    assert.ok((await listed("?filter=yes")).data.every(({ done }) => done));
  });

  test("that is repeated is refused", async () => {
    for (const name of ["name", "qty", "done"]) {
      const twice: [string, string][] = [["done", "true"], ...fields("x"), [name, name === "qty" ? "1" : "true"]];
      assert.equal((await alice.post("/items", twice)).status, 422, name);
    }
  });
});

describe("the method and the token of a form", () => {
  test("are not read from any other place", async () => {
    const item = await add("x");
    for (const path of [`/items/${item.id}?_method=delete`, `/items/${item.id}?_method=delete&csrf=${alice.token}`]) {
      assert.equal((await alice.post(path, fields("y"))).status, 405, path);
    }
    for (const method of ["GET", "HEAD"]) {
      await demo.app.request(`/items/${item.id}?_method=delete`, { method, headers: { cookie: alice.cookie } });
    }
    for (const method of [
      "get",
      "post",
      "trace",
      "connect",
      "options",
      "head",
      "PUT ",
      "pu t",
      "__proto__",
      "constructor",
    ]) {
      assert.equal((await alice.post(`/items/${item.id}`, fields("y"), method)).status, 400, method);
    }
    assert.equal((await listed()).data[0]?.name, "x");
  });
});
