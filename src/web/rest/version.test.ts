import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assert as assertProperty, asyncProperty, oneof, double, integer, string, constantFrom } from "fast-check";
import { error, LimmatError, ok } from "../../core/index.ts";
import { Schema } from "../../schema/index.ts";
import { type Ask, isolate } from "../application/fetch.test.ts";
import * as Middleware from "../middleware/index.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import type { Versions } from "./version.ts";
import { application, idOf, Todos, schema as todoSchema } from "./todo-fixture.test.ts";
import { bug, type Issue, Issues, schema, view } from "./version-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

const path = `/issues/${idOf(1)}`;

function stand(issues: Issues = new Issues(), versions?: Versions): { readonly issues: Issues; readonly ask: Ask } {
  const options = versions === undefined ? {} : { versions };
  return {
    issues,
    ask: application(jsonOfService({ name: "issues", schema, service: issues, ...options }), Middleware.api()),
  };
}

type Headers = Readonly<Record<string, string>>;

async function send(
  ask: Ask,
  method: string,
  target: string,
  headers: Headers = {},
  body?: unknown,
): Promise<{
  status: number;
  etag: string | null;
  body: { code?: string; title?: string; version?: number; errors?: unknown };
}> {
  const init = {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  };
  const response = await ask(target, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, etag: response.headers.get("etag"), body: text === "" ? {} : JSON.parse(text) };
}

const change = { title: "Changed" };

describe("an item with a version", () => {
  test("has a strong entity tag that begins with the version", async () => {
    const { ask } = stand(new Issues(7));
    const shown = await send(ask, "GET", path);
    assert.match(shown.etag ?? "", /^"7-[\w-]{24}"$/);
    assert.equal(shown.body.version, 7);
    const changed = await send(ask, "PATCH", path, { "if-match": shown.etag ?? "" }, change);
    assert.deepEqual([changed.status, changed.body.version], [200, 8]);
    assert.equal((await send(ask, "GET", path)).etag, changed.etag);
    const created = await send(ask, "POST", "/issues", {}, bug);
    assert.match(created.etag ?? "", /^"1-/);
  });

  test("that was deleted and made again does not match the tag of the one before it", async () => {
    const made = (day: number): object => ({ created_at: new Date(Date.UTC(2026, 0, day)) });
    for (const [before, after] of [
      [made(1), made(2)],
      [{ created_at: "2026-01-01" }, { created_at: "2026-01-02" }],
    ] as const) {
      const issues = new Issues(1);
      const { first } = issues;
      const { ask } = stand(issues);
      issues.set({ ...first, ...before });
      const { etag } = await send(ask, "GET", path);
      const tag = etag ?? "";
      assert.equal((await send(ask, "GET", path, { "if-match": tag })).status, 200);
      issues.set({ ...first, ...after });
      const again = await send(ask, "GET", path, { "if-none-match": tag });
      assert.deepEqual([again.status, again.body.version], [200, 1]);
      assert.notEqual(again.etag, tag);
      for (const method of ["PATCH", "PUT", "DELETE", "GET"]) {
        const body = method === "PATCH" ? change : method === "PUT" ? bug : undefined;
        assert.equal((await send(ask, method, path, { "if-match": tag }, body)).status, 412, method);
      }
      assert.equal((await send(ask, "PATCH", path, { "if-match": '"1"' }, change)).status, 200);
    }
  });

  test("says in Content-Location that the response to a change is what GET returns", async () => {
    const { ask } = stand();
    const sendRaw = (method: string, target: string, body: unknown): Promise<globalThis.Response> =>
      ask(target, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    for (const [method, query, body] of [
      ["PUT", "", { ...bug, version: 1 }],
      ["PATCH", "?fields=title", { ...change, version: 2 }],
      ["PATCH", "?fields=note,title&x=1", { ...change, version: 3 }],
      ["POST", "", bug],
      ["POST", "?fields=title", bug],
    ] as const) {
      const changed = await sendRaw(method, `${method === "POST" ? "/issues" : path}${query}`, body);
      const location = changed.headers.get("content-location") ?? "";
      const itemPath = changed.headers.get("location") ?? path;
      assert.equal(location, itemPath + query.replace("&x=1", ""));
      const shown = await ask(location);
      assert.equal(await shown.text(), await changed.text());
      assert.equal(shown.headers.get("etag"), changed.headers.get("etag"));
    }
    const refused = await sendRaw("PUT", path, { version: 4 });
    assert.deepEqual([refused.status, refused.headers.get("content-location")], [422, null]);
  });

  test("keeps a strong tag when it is compressed, which If-Match and If-None-Match accept", async () => {
    for (const coding of ["br", "zstd", "gzip"]) {
      const issues = new Issues(3);
      issues.set({ ...issues.first, note: "long ".repeat(1000) });
      const ask = application(jsonOfService({ name: "issues", schema, service: issues }), [
        Middleware.compression(),
        ...Middleware.api(),
      ]);
      const headers = { "accept-encoding": coding };
      const shown = await ask(path, { headers });
      const tag = shown.headers.get("etag") ?? "";
      assert.equal(shown.headers.get("content-encoding"), coding);
      assert.match(tag, new RegExp(`^"3-[\\w-]{24}-${coding}"$`));
      const unchanged = await ask(path, { headers: { ...headers, "if-none-match": tag } });
      assert.deepEqual([unchanged.status, unchanged.headers.get("etag")], [304, tag]);
      const body = JSON.stringify(change);
      const conditional = { ...headers, "content-type": "application/json", "if-match": tag };
      for (const status of [200, 412])
        assert.equal((await ask(path, { method: "PATCH", headers: conditional, body })).status, status);
      assert.equal(issues.first.version, 4);
      const current = await ask(path, { headers: { ...headers, "if-none-match": tag } });
      assert.equal(current.status, 200);
    }
  });

  test("is 304 for If-None-Match, and 412 for If-Match of another version", async () => {
    const { ask, issues } = stand();
    const { etag } = await send(ask, "GET", path);
    const known = await ask(path, { headers: { "if-none-match": `"x", W/${etag}` } });
    assert.deepEqual([known.status, await known.text(), known.headers.get("etag")], [304, "", etag]);
    assert.equal((await send(ask, "HEAD", path, { "if-none-match": etag ?? "" })).status, 304);
    assert.equal((await send(ask, "GET", path, { "if-match": '"2"' })).status, 412);
    assert.equal((await send(ask, "GET", path, { "if-match": '"1"' })).status, 200);
    // What the item shows counts as well as its version.
    issues.set({ ...issues.first, title: "Other" });
    assert.equal((await send(ask, "GET", path, { "if-none-match": etag ?? "" })).status, 200);
    assert.notEqual((await send(ask, "GET", `${path}?fields=title`)).etag, etag);
  });

  const conditions: readonly (readonly [ifMatch: string, status: number])[] = [
    ['"3"', 200],
    ['"3-abc"', 200],
    ['"1", "3"', 200],
    ["*", 200],
    [`${'"x", '.repeat(10_000)}"3"`, 200],
    [Array.from({ length: 10_000 }, (_, index) => `"${index + 4}"`).join(","), 412],
    ['"2"', 412],
    ['"4"', 412],
    ['W/"3"', 412],
    ['W/"3-abc"', 412],
    ['""', 412],
    ['"03"', 412],
    ['"3-"', 412],
    ['"3W/"', 412],
    ['"3.0"', 412],
    ['" 3"', 400],
    ['"-3"', 412],
    ['"3e0"', 412],
    ['"NaN"', 412],
    ['"99999999999999999999"', 412],
    ["3", 400],
    ['"3', 400],
    ['"3" *', 400],
    ["", 400],
  ];
  for (const [ifMatch, status] of conditions) {
    test(`is answered with ${status} for If-Match: ${ifMatch.slice(0, 30)}`, async () => {
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        const { ask, issues } = stand(new Issues(3));
        const body = method === "DELETE" ? undefined : { ...bug, ...change };
        const answer = await send(ask, method, path, { "if-match": ifMatch }, body);
        const expected = status === 200 && method === "DELETE" ? 204 : status;
        assert.equal(answer.status, expected);
        if (status !== 200) assert.deepEqual([issues.first.title, issues.calls], ["Bug", []]);
        else assert.deepEqual(issues.calls, [{ version: 3 }]);
      }
    });
  }

  test("needs a version to be changed or deleted (428), in the header or in the body", async () => {
    const { ask, issues } = stand(new Issues(3));
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const { status, body } = await send(ask, method, path, {}, method === "DELETE" ? undefined : bug);
      assert.deepEqual([status, body.code], [428, "E_PRECONDITION_REQUIRED"]);
    }
    assert.deepEqual(issues.calls, []);
    assert.equal((await send(ask, "PUT", path, {}, { ...bug, version: 3 })).status, 200);
    assert.equal((await send(ask, "PATCH", path, {}, { ...change, version: 4 })).status, 200);
    const stale = await send(ask, "PATCH", path, {}, { ...change, version: 4 });
    assert.deepEqual([stale.status, stale.body.code], [409, "E_VERSION_STALE"]);
    assert.equal((await send(ask, "DELETE", path, {}, { version: 4 })).status, 409);
    // Both have to be current.
    assert.equal((await send(ask, "PATCH", path, { "if-match": '"5"' }, { version: 4 })).status, 409);
    assert.equal((await send(ask, "PATCH", path, { "if-match": '"4"' }, { version: 5 })).status, 412);
    assert.equal((await send(ask, "DELETE", path, {}, { version: 5 })).status, 204);
  });

  test("keeps its version after a PATCH without a field, which gets the current item", async () => {
    const { ask, issues } = stand(new Issues(3));
    const { etag } = await send(ask, "GET", path);
    for (const body of [{ version: 3 }, { version: 3, id: idOf(2), created_at: "x", updated_at: "x" }]) {
      const unchanged = await send(ask, "PATCH", path, {}, body);
      assert.deepEqual([unchanged.status, unchanged.body.version, unchanged.etag], [200, 3, etag]);
    }
    assert.equal((await send(ask, "PATCH", path, { "if-match": '"3"' }, {})).status, 200);
    assert.equal((await send(ask, "PATCH", path, { "if-match": '"2"' }, {})).status, 412);
    assert.equal((await send(ask, "PATCH", path, {}, { version: 2 })).status, 409);
    assert.equal((await send(ask, "PATCH", path, {}, {})).status, 428);
    assert.deepEqual(issues.calls, []);
  });

  test("keeps its version after a PATCH with unknown properties only, which is refused (422)", async () => {
    const { ask, issues } = stand(new Issues(3));
    const { status, body } = await send(ask, "PATCH", path, {}, { titel: "Changed", version: 3 });
    assert.deepEqual([status, body.errors], [422, { titel: 'Unknown property. Did you mean "title"?' }]);
    assert.equal((await send(ask, "PATCH", path, {}, { titel: "Changed", version: 2 })).status, 409);
    assert.deepEqual(issues.calls, []);
  });

  test("is never changed for a version that is not its own", async () => {
    const values = oneof(
      integer(),
      double(),
      string(),
      constantFrom(null, true, -1, -0, Number.MAX_VALUE, 2 ** 53, "3", "", [3], { version: 3 }),
    );
    await assertProperty(
      asyncProperty(values, async (version) => {
        const { ask, issues } = stand(new Issues(3));
        const { status } = await send(ask, "PATCH", path, {}, { ...change, version });
        if (version === 3) assert.equal(status, 200);
        else assert.deepEqual([[409, 422].includes(status), issues.first.title], [true, "Bug"], String(status));
      }),
    );
  });

  test("may have the version 0", async () => {
    const { ask } = stand(new Issues(0));
    assert.match((await send(ask, "GET", path)).etag ?? "", /^"0-/);
    assert.equal((await send(ask, "PATCH", path, { "if-match": '"0"' }, change)).status, 200);
  });

  test("is a failure of the service if the version is no whole number", async () => {
    for (const version of [-1, NaN, 1.5, 2 ** 53, Infinity]) {
      const { ask } = stand(new Issues(version));
      assert.equal((await send(ask, "GET", path)).status, 500, String(version));
      assert.equal((await send(ask, "PATCH", path, { "if-match": "*" }, change)).status, 500, String(version));
    }
  });

  test("is 412 or 409 if it changes after it was found", async () => {
    for (const [headers, status] of [
      [{ "if-match": '"1"' }, 412],
      [{ "if-match": "*" }, 412],
      [{}, 409],
    ] as const) {
      const { ask, issues } = stand();
      issues.beforeChange = () => issues.changeMeanwhile({ title: "Theirs" });
      const body = "if-match" in headers ? change : { ...change, version: 1 };
      assert.equal((await send(ask, "PATCH", path, headers, body)).status, status);
      assert.equal(issues.first.title, "Theirs");
      assert.equal((await send(ask, "DELETE", path, { "if-match": '"2"' })).status, 412);
      assert.equal(issues.items.size, 1);
    }
  });

  test("is stale as well if the service throws E_STALE", async () => {
    const { issues } = stand();
    const stale = (): never => {
      throw new LimmatError("E_STALE", "Another change came first", { status: 409 });
    };
    const service = { find: issues.find, update: stale };
    const ask = application(jsonOfService({ name: "issues", schema, service, only: ["update"] }), Middleware.api());
    assert.equal((await send(ask, "PATCH", path, { "if-match": '"1"' }, change)).status, 412);
    assert.equal((await send(ask, "PATCH", path, {}, { ...change, version: 1 })).status, 409);
  });

  test("is changed once it matched, although the service returns it without its version", async () => {
    const { issues } = stand();
    const update = (id: string, value: typeof bug): ReturnType<Issues["update"]> => {
      const result = issues.update(id, value);
      return result.ok ? ok({ ...result.value, version: undefined as unknown as number }) : result;
    };
    const service = { find: issues.find, update };
    const ask = application(jsonOfService({ name: "issues", schema, service, only: ["update"] }), Middleware.api());
    const changed = await send(ask, "PATCH", path, { "if-match": '"1"' }, change);
    assert.deepEqual([changed.status, changed.etag, issues.first.title], [200, null, "Changed"]);
  });

  test("is 404 if it is deleted after it was found, and a failure if another row is missing", async () => {
    for (const [isDeleted, status] of [
      [true, 404],
      [false, 500],
    ] as const) {
      const issues = new Issues();
      const update = (): never => {
        if (isDeleted) issues.items.clear();
        throw new LimmatError("E_DATABASE_NO_ROW", "There is no such row");
      };
      const service = { find: issues.find, update };
      const ask = application(jsonOfService({ name: "issues", schema, service, only: ["update"] }), Middleware.api());
      assert.equal((await send(ask, "PATCH", path, { "if-match": '"1"' }, change)).status, status);
    }
  });

  test("is 412 for a matching If-None-Match", async () => {
    const { ask, issues } = stand();
    for (const value of ["*", '"1"', 'W/"1-x"']) {
      const headers = { "if-match": '"1"', "if-none-match": value };
      assert.equal((await send(ask, "PATCH", path, headers, change)).status, 412, value);
    }
    assert.equal((await send(ask, "POST", "/issues", { "if-none-match": "*" }, bug)).status, 412);
    assert.equal((await send(ask, "POST", "/issues", { "if-match": '"1"' }, bug)).status, 412);
    assert.equal(issues.items.size, 1);
    assert.equal((await send(ask, "POST", "/issues", { "if-match": "*" }, bug)).status, 201);
  });

  test("is changed for an If-None-Match that is malformed, or lists the version that it gets", async () => {
    const { ask, issues } = stand();
    const { etag } = await send(ask, "PATCH", path, { "if-match": '"1"' }, change);
    for (const ifNoneMatch of ['"1', '"1W/"', etag ?? ""]) {
      issues.set({ ...issues.first, version: 1 });
      const headers = { "if-match": '"1"', "if-none-match": ifNoneMatch };
      const changed = await send(ask, "PATCH", path, headers, change);
      assert.deepEqual([changed.status, changed.etag, issues.first.version], [200, etag, 2], ifNoneMatch);
    }
  });

  test("is 404 before it is 412 if it does not exist", async () => {
    const { ask } = stand();
    for (const ifMatch of ["*", '"1"', "x"])
      assert.equal((await send(ask, "PATCH", `/issues/${idOf(9)}`, { "if-match": ifMatch }, change)).status, 404);
  });
});

describe("the option `versions`", () => {
  test("accepts changes without a version if it is `optional`, and still compares those with one", async () => {
    const { ask, issues } = stand(new Issues(), "optional");
    assert.equal((await send(ask, "PATCH", path, {}, change)).status, 200);
    assert.equal((await send(ask, "PATCH", path, { "if-match": '"1"' }, change)).status, 412);
    assert.equal((await send(ask, "PATCH", path, {}, { version: 1 })).status, 409);
    // The service compares the version that was found: a change in between is not lost.
    issues.beforeChange = () => issues.changeMeanwhile({ title: "Theirs" });
    assert.equal((await send(ask, "PATCH", path, {}, change)).status, 409);
    assert.equal(issues.first.title, "Theirs");
    issues.beforeChange = () => {};
    assert.equal((await send(ask, "DELETE", path)).status, 204);
  });

  test("takes `version` for a property if it is false, or if it is a field of the schema", async () => {
    const { ask, issues } = stand(new Issues(), false);
    const shown = await send(ask, "GET", path);
    assert.deepEqual([shown.etag, shown.body.version], [null, undefined]);
    assert.equal((await send(ask, "PATCH", path, {}, change)).status, 200);
    assert.deepEqual(issues.calls, [undefined]);
    const software = Schema.record({ version: Schema.int() });
    const find = (id: string): { id: string; version: number } => ({ id, version: 26 });
    const options = { name: "issues", schema: software, service: { find }, only: ["show"] } as const;
    const plain = await send(application(jsonOfService(options), Middleware.api()), "GET", path);
    assert.deepEqual([plain.etag, plain.body.version], [null, 26]);
    assert.throws(() => jsonOfService({ ...options, versions: true }), { code: "E_RESOURCE_INVALID" });
  });

  test("refuses items without a version if it is true", async () => {
    const { version: _, ...issue } = new Issues().first;
    const service = { find: () => issue as Issue };
    const options = { name: "issues", schema, service, only: ["show"], versions: true } as const;
    assert.equal((await send(application(jsonOfService(options), Middleware.api()), "GET", path)).status, 500);
  });
});

describe("an item without a version", () => {
  const todo = `/todos/${idOf(1)}`;
  const input = { title: "Oat milk", done: false };

  test("is 412 for If-Match with tags, as it has no strong one, and matches a star", async () => {
    const todos = new Todos("Milk");
    const ask = application(jsonOfService({ name: "todos", schema: todoSchema, service: todos }), Middleware.api());
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const body = method === "GET" || method === "DELETE" ? undefined : input;
      for (const ifMatch of ['"1"', 'W/"1"', '"undefined"'])
        assert.equal((await send(ask, method, todo, { "if-match": ifMatch }, body)).status, 412, method);
    }
    assert.equal(todos.items.get(idOf(1))?.title, "Milk");
    assert.equal((await send(ask, "PUT", todo, { "if-match": "*" }, { ...input, version: 7 })).status, 200);
    assert.equal((await send(ask, "GET", todo)).etag, null);
  });
});

test("pages of an item with a version have its tag, and are 304 only if the page is the same", async () => {
  const issues = new Issues(7);
  let name = "Ada";
  const show = { ...view, show: () => view.show({} as never, { ...issues.first, title: name }) };
  const ask = application(resourceOfService({ name: "issues", schema, view: show, service: issues }), [
    Middleware.etag(),
    Middleware.session(),
    Middleware.flash(),
    Middleware.csrf(),
  ]);
  const first = await ask(path);
  const etag = first.headers.get("etag") ?? "";
  assert.match(etag, /^"7-/);
  assert.equal((await ask(path, { headers: { "if-none-match": etag } })).status, 304);
  name = "Eve";
  assert.equal((await ask(path, { headers: { "if-none-match": etag } })).status, 200);
  assert.equal((await ask(path, { headers: { "if-match": '"6"' } })).status, 412);
});

test("a refusal that only looks stale is shown to the user", async () => {
  const { find } = new Issues();
  const service = { find, update: () => error({ stale: "is a field" }) };
  const ask = application(jsonOfService({ name: "issues", schema, service, only: ["update"] }), Middleware.api());
  const answer = await send(ask, "PATCH", path, { "if-match": "*" }, change);
  assert.deepEqual([answer.status, answer.body.errors], [422, { stale: "is a field" }]);
});
