import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { type Ask, isolate } from "../application/fetch.test.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import { singularJsonOfService } from "./singular.ts";
import type { ResourceService } from "./contract.ts";
import { application, idOf, schema, type Todo, type TodoInput, Todos, view } from "./todo-fixture.test.ts";

const milk = `/todos/${idOf(1)}`;

const log = isolate([["CHECK_CSRF", "true"]]);

function stand(todos: Todos = new Todos("Milk", "Bread", "Eggs")): { readonly todos: Todos; readonly ask: Ask } {
  return { todos, ask: application(resourceOfService({ name: "todos", schema, view, service: todos }), []) };
}

async function send(ask: Ask, method: string, path: string, value?: unknown): Promise<[number, unknown, Headers]> {
  const init = { method, headers: { accept: "application/json", "content-type": "application/json" } };
  const response = await ask(path, value === undefined ? init : { ...init, body: JSON.stringify(value) });
  const text = await response.text();
  return [response.status, text === "" ? undefined : JSON.parse(text), response.headers];
}

const document = (title: string): unknown => ({
  title,
  done: false,
  priority: 3,
  id: idOf(1),
  created_at: "1970-01-01T00:00:00.000Z",
});

describe("a request that wants JSON", () => {
  test("gets a page of the list with its total", async () => {
    const [status, body, headers] = await send(stand().ask, "GET", "/todos?limit=2&offset=2");
    assert.deepEqual([status, headers.get("content-type"), headers.get("vary")], [200, "application/json", "accept"]);
    const { data, ...rest } = body as { data: { title: string }[] };
    assert.deepEqual(rest, { total: 3, limit: 2, offset: 2 });
    assert.deepEqual(
      data.map(({ title }) => title),
      ["Eggs"],
    );
  });

  test("gets the cursors of the service, and the offset of the page", async () => {
    const todos = new Todos("Milk", "Bread", "Eggs");
    const search: ResourceService<Todo, TodoInput>["search"] = (query) => {
      const from = query.after === undefined ? 0 : Number(query.after);
      const next = from + query.limit < 3 ? String(from + query.limit) : undefined;
      return [...todos.search({ ...query, offset: from }), { next, previous: undefined, offset: from }];
    };
    const ask = application(
      resourceOfService({ name: "todos", schema, view, service: { search }, only: ["index"] }),
      [],
    );
    const [, first] = await send(ask, "GET", "/todos?limit=2");
    const { data: _, ...place } = first as { data: unknown };
    assert.deepEqual(place, { total: 3, limit: 2, offset: 0, next: "2", previous: null });
    const [, second] = await send(ask, "GET", "/todos?limit=2&after=2");
    const { data, ...rest } = second as { data: { title: string }[] };
    assert.deepEqual(rest, { total: 3, limit: 2, offset: 2, next: null, previous: null });
    assert.deepEqual(
      data.map(({ title }) => title),
      ["Eggs"],
    );
  });

  test("gets 400 for a cursor in a list without cursors", async () => {
    for (const query of ["after=x", "before=x", "after=x&before=y", "after=x&offset=1", "after=%00"]) {
      const [status, body] = await send(stand().ask, "GET", `/todos?${query}`);
      assert.deepEqual([status, (body as { code: string }).code], [400, "E_QUERY_INVALID"], query);
    }
  });

  test("gets the fields of the schema, without sensitive and unknown ones", async () => {
    const { todos, ask } = stand();
    todos.update(idOf(1), { title: "Milk", done: false, priority: 3, code: "1234" });
    const [status, body] = await send(ask, "GET", milk);
    assert.deepEqual([status, body], [200, document("Milk")]);
  });

  test("converts an item with the option `json`", async () => {
    const routers = resourceOfService({
      name: "todos",
      schema,
      view,
      service: new Todos("Milk"),
      json: ({ title }) => title,
    });
    const [, body] = await send(application(routers, []), "GET", milk);
    assert.equal(body, "Milk");
  });

  test("creates with 201 and `Location`", async () => {
    const { ask } = stand(new Todos());
    const [status, body, headers] = await send(ask, "POST", "/todos", { title: "Milk", done: false });
    assert.deepEqual([status, body, headers.get("location")], [201, document("Milk"), milk]);
  });

  test("updates with 200 and deletes with 204", async () => {
    const { todos, ask } = stand();
    assert.deepEqual((await send(ask, "PUT", milk, { title: "Oat milk", done: false })).slice(0, 2), [
      200,
      document("Oat milk"),
    ]);
    assert.deepEqual((await send(ask, "PATCH", milk, { title: "Milk" })).slice(0, 2), [200, document("Milk")]);
    assert.deepEqual((await send(ask, "DELETE", milk)).slice(0, 2), [204, undefined]);
    assert.equal(todos.items.has(idOf(1)), false);
  });

  test("gets a problem document with messages by field for invalid or refused input", async () => {
    const { ask } = stand();
    const [status, body, headers] = await send(ask, "POST", "/todos", { title: " ", done: "yes", priority: 9 });
    assert.deepEqual([status, headers.get("content-type")], [422, "application/problem+json"]);
    const { code, errors, status: inBody } = body as { code: string; errors: unknown; status: number };
    assert.deepEqual([code, inBody], ["E_FORM_INVALID", 422]);
    assert.deepEqual(errors, {
      title: "Please enter a title",
      done: "Please choose yes or no",
      priority: "Please enter 5 or less",
    });
    const [, taken] = await send(ask, "PUT", milk, { title: "taken", done: false });
    assert.deepEqual((taken as { errors: unknown }).errors, { title: "There is one already" });
    const [, full] = await send(ask, "POST", "/todos", { title: "full", done: false });
    assert.equal((full as { detail: string }).detail, "The list is full");
  });

  test("gets problem documents for missing, malformed or refused input", async () => {
    const { ask } = stand(new Todos("kept"));
    const [status, body] = await send(ask, "DELETE", milk);
    assert.deepEqual([status, (body as { detail: string }).detail], [409, "This one stays"]);
    assert.equal((await send(ask, "GET", `/todos/${idOf(9)}`))[0], 404);
    assert.equal((await send(ask, "GET", "/todos?limit=0"))[0], 400);
    assert.equal((await send(ask, "POST", "/todos", []))[0], 422);
    assert.equal((await send(ask, "POST", "/todos"))[0], 400);
  });

  test("is refused with a form without a CSRF check", async () => {
    const { todos, ask } = stand();
    const body = new URLSearchParams({ title: "x" });
    assert.equal((await ask("/todos", { method: "POST", body, headers: { accept: "application/json" } })).status, 415);
    assert.equal(todos.items.size, 3);
  });

  test("names JSON as the type of a body in another one", async () => {
    const { ask } = stand();
    for (const [method, path] of [
      ["POST", "/todos"],
      ["PUT", milk],
      ["PATCH", milk],
    ] as const) {
      const headers = { accept: "application/json", "content-type": "text/plain" };
      const response = await ask(path, { method, body: "title=x", headers });
      assert.equal(response.status, 415);
      assert.match(await response.text(), /application\/json/);
    }
  });
});

describe("unknown properties of a JSON body", () => {
  const unknown = { titel: "Oat milk", PRIORITY: 1, nothing: null, done_at: "now" };
  const readOnly = { id: idOf(9), version: 7, created_at: "x", updated_at: "x" };
  const logged = (): readonly unknown[] =>
    log.entries.filter(({ level }) => level === "warning").map(({ message, fields }) => [message, fields["path"]]);

  test("are ignored and, in development, logged in one line with similar fields", async () => {
    Configuration.store([["FRAMEWORK_ENV", "development"]]);
    const { ask } = stand();
    for (const [method, path, status] of [
      ["POST", "/todos", 201],
      ["PUT", milk, 200],
      ["PATCH", milk, 200],
    ] as const) {
      log.entries.length = 0;
      assert.equal((await send(ask, method, path, { title: "Milk", done: false, ...readOnly, ...unknown }))[0], status);
      const names = '"titel" (did you mean "title"?), "PRIORITY" (did you mean "priority"?), "nothing", "done_at"';
      assert.deepEqual(logged(), [[`Unknown properties in the body of ${method} ${path}: ${names}`, path]]);
    }
  });

  test("are logged to a limited number and length", async () => {
    Configuration.store([["FRAMEWORK_ENV", "development"]]);
    const long = "x".repeat(100_000);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}${long}`.slice(0, 2000), 1]));
    assert.equal((await send(stand().ask, "POST", "/todos", { title: "Milk", done: false, ...many }))[0], 201);
    const [[message]] = logged() as [[string]];
    assert.ok(message.length < 1000, String(message.length));
  });

  test("leave no log entry if there is none, and none in other environments", async () => {
    const { ask } = stand();
    for (const environment of ["test", "production"]) {
      Configuration.store([
        ["FRAMEWORK_ENV", environment],
        ["FRAMEWORK_SECRET", "a-secret-of-production-that-is-long-enough"],
      ]);
      await send(ask, "POST", "/todos", { title: "Milk", done: false, ...unknown });
    }
    Configuration.store([["FRAMEWORK_ENV", "development"]]);
    await send(ask, "POST", "/todos", { title: "Milk", done: false, ...readOnly });
    assert.equal((await send(ask, "POST", "/todos", ["titel"]))[0], 422);
    assert.deepEqual(logged(), []);
  });

  test("are refused by PATCH with 422 if there is no other one", async () => {
    const { todos, ask } = stand();
    const [status, body, headers] = await send(ask, "PATCH", milk, { ...readOnly, ...unknown });
    assert.deepEqual([status, headers.get("content-type")], [422, "application/problem+json"]);
    assert.deepEqual((body as { errors: unknown }).errors, {
      titel: 'Unknown property. Did you mean "title"?',
      PRIORITY: 'Unknown property. Did you mean "priority"?',
      nothing: "Unknown property",
      done_at: "Unknown property",
    });
    assert.equal(todos.items.get(idOf(1))?.title, "Milk");
  });
});

describe("a JSON resource", () => {
  const json = (todos: Todos): Ask =>
    application(jsonOfService({ name: "todos", schema, service: todos }), [], { scope: "/api" });

  test("answers with JSON whatever the client accepts", async () => {
    const ask = json(new Todos("Milk"));
    const html = { headers: { accept: "text/html" } };
    assert.equal((await ask("/api/todos", html)).headers.get("content-type"), "application/json");
    const missing = await ask(`/api/todos/${idOf(9)}`, html);
    assert.deepEqual([missing.status, missing.headers.get("content-type")], [404, "application/problem+json"]);
    const query = await ask("/api/todos?limit=x", html);
    assert.deepEqual([query.status, ((await query.json()) as { code: string }).code], [400, "E_QUERY_INVALID"]);
  });

  test("lists, creates, shows, updates and deletes", async () => {
    const ask = json(new Todos());
    const [created, body, headers] = await send(ask, "POST", "/api/todos", { title: "Milk", done: false });
    assert.deepEqual([created, body, headers.get("location")], [201, document("Milk"), `/api${milk}`]);
    assert.deepEqual((await send(ask, "GET", "/api/todos")).slice(0, 2), [
      200,
      { data: [document("Milk")], total: 1, limit: 50, offset: 0 },
    ]);
    assert.deepEqual((await send(ask, "GET", `/api${milk}`)).slice(0, 2), [200, document("Milk")]);
    assert.equal((await send(ask, "PUT", `/api${milk}`, { title: "" }))[0], 422);
    assert.deepEqual((await send(ask, "PATCH", `/api${milk}`, { title: "Eggs" })).slice(0, 2), [200, document("Eggs")]);
    assert.equal((await send(ask, "DELETE", `/api${milk}`))[0], 204);
  });

  test("has no pages and no unlisted actions", async () => {
    const { find, search } = new Todos("Milk");
    const routers = jsonOfService({ only: ["index", "show"], name: "todos", schema, service: { find, search } });
    const ask = application(routers, []);
    const statuses = async (path: string): Promise<unknown> =>
      await Promise.all(["GET", "POST", "PUT", "DELETE"].map(async (method) => (await ask(path, { method })).status));
    assert.deepEqual(await statuses("/todos"), [200, 404, 405, 405]);
    assert.deepEqual(await statuses(milk), [200, 405, 404, 404]);
    assert.deepEqual([(await ask("/todos/new")).status, (await ask(`${milk}/edit`)).status], [404, 404]);
    // @ts-expect-error: there is no page to edit
    assert.throws(() => jsonOfService({ only: ["edit"], name: "todos", schema, service: { find, search } }));
  });

  test("has no pages without the option `only`, also if it is undefined", async () => {
    const service = new Todos();
    for (const options of [{}, { only: undefined }] as const) {
      // @ts-expect-error: JavaScript may pass undefined
      const plural = jsonOfService({ ...options, name: "todos", schema, service });
      // @ts-expect-error: JavaScript may pass undefined
      const singular = singularJsonOfService({ ...options, name: "profile", schema, service });
      const ask = application([...plural, ...singular], []);
      const paths = ["/todos", "/todos/new", "/profile/new", "/profile/edit"];
      const statuses = await Promise.all(paths.map(async (path) => (await ask(path)).status));
      assert.deepEqual(statuses, [200, 404, 404, 404]);
    }
  });
});
