import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { Context, type ContextOptions } from "../../core/index.ts";
import { html, type Html } from "../../html/index.ts";
import { Schema } from "../../schema/index.ts";
import type { Middleware } from "../../http/router/handler.ts";
import { flash } from "../middleware/flash.ts";
import { session } from "../middleware/session.ts";
import { Response } from "../../http/message/response.ts";
import type { Request } from "../../http/message/request.ts";
import { type Action, actions, type ResourceService } from "./contract.ts";
import { controllerOfService } from "./controller.ts";
import { jsonOfService, resourceOfController, resourceOfService } from "./resource.ts";
import { isolate } from "../application/fetch.test.ts";
import {
  application,
  idOf,
  schema,
  textOf,
  type Todo,
  type TodoInput,
  Todos,
  view,
  Visitor,
} from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

function stand(todos: Todos = new Todos("Milk", "Bread")): { readonly todos: Todos; readonly visitor: Visitor } {
  const routers = resourceOfService({ name: "todos", schema, view, service: todos });
  return { todos, visitor: new Visitor(application(routers)) };
}

const location = (response: globalThis.Response): unknown => [response.status, response.headers.get("location")];
const milk = `/todos/${idOf(1)}`;

describe("a resource's pages", () => {
  test("list the items of the service, with the defaults of the query", async () => {
    const { todos, visitor } = stand();
    assert.match(await textOf(visitor.get("/todos")), /2:<li>Milk<\/li><li>Bread<\/li>/);
    assert.match(await textOf(visitor.get("/todos?filter=Br&limit=5000&sort=asc")), /1:<li>Bread/);
    assert.deepEqual(todos.searches, [
      { limit: 50, offset: 0, sort: "desc" },
      { filter: "Br", limit: 1000, offset: 0, sort: "asc" },
    ]);
    assert.equal((await visitor.get("/todos?limit=abc")).status, 400);
  });

  test("show an item and its form, filled in, and the form of a new one with its defaults", async () => {
    const { visitor } = stand();
    assert.match(await textOf(visitor.get(milk)), /<h1>Milk<\/h1>/);
    assert.match(await textOf(visitor.get(`${milk}/edit`)), /name="title" value="Milk"/);
    const blank = await textOf(visitor.get("/todos/new"));
    assert.match(blank, /name="title" value=""/);
    assert.match(blank, /name="priority" value="3"/);
  });

  test("answer 404 for missing items and invalid identifiers, and accept identifiers in any letter case", async () => {
    const { visitor } = stand();
    for (const id of [idOf(9), "1", "new2", "%20", "__proto__", "constructor"]) {
      assert.equal((await visitor.get(`/todos/${id}`)).status, 404, id);
      assert.equal((await visitor.get(`/todos/${id}/edit`)).status, 404, id);
    }
    assert.equal((await visitor.get(milk.toUpperCase().replace("TODOS", "todos"))).status, 200);
  });
});

describe("creating", () => {
  test("adds the item and redirects to the list, which shows the notice once", async () => {
    const { todos, visitor } = stand();
    const response = await visitor.submit("/todos/new", "/todos", { title: "Eggs", done: "on", priority: "1" });
    assert.deepEqual(location(response), [303, "/todos"]);
    const { title, done, priority } = [...todos.items.values()].at(-1) ?? {};
    assert.deepEqual([title, done, priority], ["Eggs", true, 1]);
    assert.match(await textOf(visitor.get("/todos")), /<b>Todo added<\/b>/);
    assert.match(await textOf(visitor.get("/todos")), /<b><\/b>/);
  });

  test("shows an invalid form again with the submitted values", async () => {
    const { todos, visitor } = stand();
    const fields = { title: "  ", done: "on", priority: "1e3", code: "12.34" };
    const response = await visitor.submit("/todos/new", "/todos", fields);
    assert.equal(response.status, 422);
    const page = await textOf(response);
    assert.match(page, /<i>Please check the marked fields<\/i>/);
    assert.match(page, /name="title" value=" {2}"><p>Please enter a title/);
    assert.match(page, /name="done" checked/);
    assert.match(page, /value="1e3"><p>Please enter a whole number/);
    assert.doesNotMatch(page, /12\.34/);
    assert.equal(todos.items.size, 2);
    assert.match(await textOf(visitor.get("/todos")), /<i><\/i>/);
  });

  test("shows refusals of the service at their fields, or as one message", async () => {
    const { visitor } = stand();
    const field = await visitor.submit("/todos/new", "/todos", { title: "taken" });
    assert.equal(field.status, 422);
    assert.match(await textOf(field), /value="taken"><p>There is one already/);
    const whole = await visitor.submit("/todos/new", "/todos", { title: "full" });
    assert.equal(whole.status, 422);
    assert.match(await textOf(whole), /<i>The list is full<\/i>[^]*value="full"><p><\/p>/);
  });

  test("ignores fields outside the schema", async () => {
    const { todos, visitor } = stand(new Todos());
    const extra = { id: "x", owner: "me", admin: "true", created_at: "2000-01-01", __proto__x: "1", toString: "2" };
    await visitor.submit("/todos/new", "/todos", { title: "Eggs", ...extra });
    const [todo] = todos.items.values();
    assert.deepEqual([todo?.id, todo?.owner, todo !== undefined && "admin" in todo], [idOf(1), "secret", false]);
  });

  test("refuses a repeated field, and a body that is not a form", async () => {
    const { visitor } = stand();
    const body = new URLSearchParams([
      ["title", "a"],
      ["title", "b"],
      ["csrf", await visitor.token("/todos/new")],
    ]);
    const twice = await visitor.send("/todos", { method: "POST", body });
    assert.equal(twice.status, 422);
    assert.match(await textOf(twice), /value="a"><p>Please give one value only/);
    const headers = { "x-csrf-token": await visitor.token("/todos/new"), "content-type": "text/plain" };
    assert.equal((await visitor.send("/todos", { method: "POST", body: "title=a", headers })).status, 415);
  });
});

describe("updating", () => {
  test("replaces all fields with PUT and redirects to the item", async () => {
    const { todos, visitor } = stand();
    const response = await visitor.submit(`${milk}/edit`, milk, { _method: "put", title: "Oat milk", priority: "2" });
    assert.deepEqual(location(response), [303, milk]);
    assert.match(await textOf(visitor.get(milk)), /<b>Todo saved<\/b><h1>Oat milk/);
    assert.deepEqual([todos.items.get(idOf(1))?.done, todos.items.get(idOf(1))?.priority], [false, 2]);
    const missing = await visitor.submit(`${milk}/edit`, milk, { _method: "put", priority: "2" });
    assert.equal(missing.status, 422);
    assert.match(await textOf(missing), /Please fill this in/);
  });

  test("keeps unsent fields with PATCH", async () => {
    const { todos, visitor } = stand();
    todos.update(idOf(1), { title: "Milk", done: true, priority: 5, code: "12.34" });
    await visitor.submit(`${milk}/edit`, milk, { _method: "patch", title: "Oat milk" });
    const { title, done, priority, code } = todos.items.get(idOf(1)) ?? {};
    assert.deepEqual([title, done, priority, code], ["Oat milk", true, 5, "12.34"]);
    const wrong = await visitor.submit(`${milk}/edit`, milk, { _method: "patch", title: "" });
    assert.equal(wrong.status, 422);
    assert.match(
      await textOf(wrong),
      /name="title" value=""><p>Please enter a title[^]*checked[^]*name="priority" value="5"/,
    );
  });

  test("shows the form again with the submitted values, for the stored item", async () => {
    const { visitor } = stand();
    for (const title of ["", "taken"]) {
      const response = await visitor.submit(`${milk}/edit`, milk, { _method: "put", title, priority: "1" });
      assert.equal(response.status, 422);
      assert.match(await textOf(response), new RegExp(`<h1>Milk</h1>[^]*name="title" value="${title}"><p>[TP]`));
    }
  });

  test("answers 404 for a missing item", async () => {
    const { visitor } = stand();
    const response = await visitor.submit("/todos/new", `/todos/${idOf(9)}`, { _method: "put", title: "x" });
    assert.equal(response.status, 404);
  });
});

describe("deleting", () => {
  test("redirects to the list with its former query", async () => {
    const { todos, visitor } = stand();
    const action = `${milk}?filter=a%26b&limit=25&offset=50&sort=asc&other=1`;
    const response = await visitor.submit("/todos", action, { _method: "delete" });
    assert.deepEqual(location(response), [303, "/todos?filter=a%26b&limit=25&offset=50&sort=asc"]);
    assert.equal(todos.items.has(idOf(1)), false);
    assert.match(await textOf(visitor.get("/todos")), /<b>Todo deleted<\/b>/);
    assert.equal((await visitor.submit("/todos", milk, { _method: "delete" })).status, 404);
  });

  test("shows the refusal of the service on the list", async () => {
    const { todos, visitor } = stand(new Todos("kept"));
    const response = await visitor.submit("/todos", milk, { _method: "delete" });
    assert.deepEqual(location(response), [303, "/todos"]);
    assert.match(await textOf(visitor.get("/todos")), /<i>This one stays<\/i>/);
    assert.equal(todos.items.size, 1);
  });

  test("changes nothing when the query is not valid", async () => {
    const { todos, visitor } = stand();
    assert.equal((await visitor.submit("/todos", `${milk}?limit=x`, { _method: "delete" })).status, 400);
    assert.equal(todos.items.size, 2);
  });
});

describe("a resource's routes", () => {
  const addresses: Readonly<Record<Action, readonly [method: string, path: string]>> = {
    index: ["GET", "/todos"],
    create: ["POST", "/todos"],
    new: ["GET", "/todos/new"],
    show: ["GET", milk],
    edit: ["GET", `${milk}/edit`],
    update: ["PATCH", milk],
    destroy: ["DELETE", milk],
  };

  test("are 404 for unlisted actions only", async () => {
    for (const listed of actions) {
      const only = [listed];
      const ask = application(resourceOfService({ only, name: "todos", schema, view, service: new Todos("Milk") }), []);
      for (const [action, [method, path]] of Object.entries(addresses)) {
        const { status } = await ask(path, { method });
        assert.equal(status === 404, action !== listed, `${action} with only ${listed}: ${status}`);
      }
    }
  });

  test("do not match /todos/new as an item when show is listed and new is not", async () => {
    const service = new Todos("Milk");
    const routers = resourceOfService({
      only: ["index", "show"],
      name: "todos",
      schema,
      view,
      service,
      isId: () => true,
    });
    const ask = application(routers);
    assert.deepEqual(
      [(await ask("/todos/new")).status, (await ask("/todos")).status, (await ask(milk)).status],
      [404, 200, 200],
    );
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      assert.equal((await ask("/todos", { method })).status, method === "POST" ? 404 : 405);
      assert.equal((await ask(milk, { method })).status, method === "POST" ? 405 : 404);
    }
  });

  test("follow scopes and their parameters in redirects", async () => {
    const routers = resourceOfService({ name: "line-items", schema, view, service: new Todos("Milk") });
    const visitor = new Visitor(application(routers, undefined, { scope: "/:shop/admin" }));
    const list = "/my%20shop%3F/admin/line-items";
    assert.deepEqual(location(await visitor.submit(`${list}/new`, list, { title: "Eggs" })), [303, list]);
    assert.match(await textOf(visitor.get(list)), /<b>Line item added<\/b>/);
    const item = `${list}/${idOf(1)}`;
    assert.deepEqual(location(await visitor.submit(`${item}/edit`, item, { _method: "put", title: "x" })), [303, item]);
    assert.deepEqual(location(await visitor.submit(list, item, { _method: "delete" })), [303, list]);
  });

  test("follow the prefix of all paths in redirects", async () => {
    Configuration.store([["PREFIX_PATH", "/shop"]]);
    const { visitor } = stand();
    const list = "/shop/todos";
    assert.deepEqual(location(await visitor.submit(`${list}/new`, list, { title: "Eggs" })), [303, list]);
    const item = `/shop${milk}`;
    assert.deepEqual(location(await visitor.submit(`${item}/edit`, item, { _method: "put", title: "x" })), [303, item]);
    assert.deepEqual(location(await visitor.submit(list, `${item}?limit=5`, { _method: "delete" })), [
      303,
      `${list}?limit=5`,
    ]);
  });

  test("accept custom identifiers with `isId`", async () => {
    const service = new Todos("Milk");
    service.items.set("Milk-1", { ...(service.find(idOf(1)) as NonNullable<ReturnType<Todos["find"]>>), id: "Milk-1" });
    const isId = (id: string): boolean => /^[\w-]+$/.test(id);
    const ask = application(resourceOfService({ name: "todos", schema, view, service, isId }));
    assert.deepEqual([(await ask("/todos/Milk-1")).status, (await ask("/todos/a.b")).status], [200, 404]);
  });

  test("refuse a name that is not valid in a path, and a controller without a listed action", () => {
    for (const name of ["", "/todos", "to dos", ":id", "a/", "a//b", "..", "todos?x"]) {
      const make = (): unknown => resourceOfService({ name, schema, view, service: new Todos() });
      assert.throws(make, { code: "E_RESOURCE_INVALID" }, name);
    }
    const lacking = { only: ["show"], name: "todos", schema, controller: {} } as unknown;
    assert.throws(() => resourceOfController(lacking as Parameters<typeof resourceOfController>[0]), {
      code: "E_RESOURCE_INVALID",
      message: /no function "show"/,
    });
  });

  test("refuse a schema of another library, and one that is no record, by name", () => {
    const validate = (value: unknown): { readonly value: unknown } => ({ value });
    const schemas = [
      [{ "~standard": { version: 1, vendor: "zod", validate }, parse: validate }, 'its schema is one of "zod"'],
      [
        Object.assign(validate, { "~standard": { version: 1, vendor: "arktype", validate } }),
        'its schema is one of "arktype"',
      ],
      [Schema.partial(schema), "its schema is not a record"],
      [undefined, "it has no schema"],
    ] as const;
    for (const [foreign, problem] of schemas) {
      const options = { name: "todos", schema: foreign as unknown as typeof schema, view, service: new Todos() };
      const expected = {
        code: "E_RESOURCE_INVALID",
        message: `The resource "todos" is not valid: ${problem}. Make it with Schema.record: a resource also decodes forms and single fields.`,
      };
      assert.throws(() => resourceOfService(options), expected);
      assert.throws(() => jsonOfService(options), expected);
    }
  });

  test("report a missing middleware before anything is changed", async () => {
    const todos = new Todos("Milk");
    const routers = resourceOfService({ name: "todos", schema, view, service: todos });
    const thrown: unknown[] = [];
    const record: Middleware = (handler) => async (request) => {
      try {
        return await handler(request);
      } catch (failure) {
        thrown.push((failure as { code?: unknown }).code);
        throw failure;
      }
    };
    const body = new URLSearchParams({ title: "x" });
    for (const middlewares of [[], [flash(), session()]]) {
      const ask = application(routers, [record, ...middlewares]);
      await ask("/todos", { method: "POST", body });
      await ask(milk, { method: "DELETE" });
    }
    await application(routers, [record])("/todos");
    assert.deepEqual(thrown, [...Array.from({ length: 4 }, () => "E_CSRF_MISSING"), "E_SESSION_MISSING"]);
    assert.equal(todos.items.size, 1);
  });
});

describe("a resource with a context", () => {
  const todos = new Todos("Milk");
  const calls: string[] = [];
  const seen = (call: string, options: ContextOptions | undefined): void =>
    void calls.push(`${call} ${Context.get(options?.ctx, "owner")}`);
  const service: ResourceService<Todo, TodoInput> = {
    find: (id, options) => {
      seen("find", options);
      return Context.get(options?.ctx, "owner") === "ada" ? todos.find(id) : undefined;
    },
    search: (query, options) => {
      seen("search", options);
      return todos.search(query);
    },
    insert: (value, options) => {
      seen("insert", options);
      return todos.insert(value);
    },
    update: (id, value, options) => {
      seen("update", options);
      return todos.update(id, value);
    },
    delete: (item, options) => {
      seen("delete", options);
      return todos.delete(item);
    },
  };
  const ctx = async (request: Request): Promise<Context> => [["owner", request.query.get("as") ?? "nobody"]];
  const visitor = new Visitor(application(resourceOfService({ name: "todos", schema, view, service, ctx })));

  test("passes the context of the request to each service function", async () => {
    const fields = { title: "Eggs", priority: "1" };
    await visitor.get("/todos?as=ada");
    await visitor.submit("/todos/new", "/todos?as=ada", fields);
    await visitor.submit("/todos/new", `${milk}?as=ada`, { ...fields, _method: "put" });
    await visitor.submit("/todos/new", `${milk}?as=ada`, { _method: "delete" });
    assert.deepEqual(calls.splice(0), ["search ada", "insert ada", "find ada", "update ada", "find ada", "delete ada"]);
  });

  test("hides items that the service does not find in the context", async () => {
    const bread = `/todos/${idOf(2)}`;
    assert.equal((await visitor.get(`${bread}?as=ada`)).status, 200);
    assert.equal((await visitor.get(`${bread}?as=bob`)).status, 404);
    assert.equal((await visitor.submit("/todos/new", `${bread}?as=bob`, { _method: "delete" })).status, 404);
    assert.deepEqual(calls.splice(0), ["find ada", "find bob", "find bob"]);
  });
});

describe("a controller", () => {
  const service = new Todos("Milk");

  test("answers each action, and receives its resource", async () => {
    const said = (word: string) => (): Response => Response.text(word);
    const routers = resourceOfController({
      only: ["index", "destroy"],
      name: "todos",
      schema,
      controller: { index: (_request, { name }) => Response.text(name), delete: said("gone") },
    });
    const ask = application(routers, []);
    assert.equal(await textOf(ask("/todos")), "todos");
    assert.equal(await textOf(ask(milk, { method: "DELETE" })), "gone");
    assert.equal((await ask(milk)).status, 404);
  });

  test("can extend the controller of a service and replace one action", async () => {
    const controller = { ...controllerOfService({ view, service }), show: () => Response.text("mine") };
    const ask = application(resourceOfController({ name: "todos", schema, controller }));
    assert.equal(await textOf(ask(milk)), "mine");
    assert.match(await textOf(ask("/todos")), /Milk/);
  });

  test("needs only the service and view functions of the listed actions", async () => {
    const { find, search } = service;
    const { index, show } = view;
    const parts = { name: "todos", schema, view: { index, show } };
    resourceOfService({ ...parts, only: ["index", "show"], service: { find, search } });
    // @ts-expect-error: search is missing
    resourceOfService({ ...parts, only: ["index", "show"], service: { find } });
    // @ts-expect-error: the page of an invalid form is missing
    resourceOfService({ ...parts, only: ["index", "create"], service });
    // @ts-expect-error: the input of the service lacks a field
    resourceOfService({ name: "todos", schema: Schema.record({ done: Schema.bool() }), view, service });
    // @ts-expect-error: a page returns HTML
    resourceOfService({ name: "todos", schema, view: { ...view, show: () => "text" }, service });
    assert.equal(String(html`${1}`), "1");
  });

  test("gives the view the total as the service returns it: a number, or undefined if it counts nothing", async () => {
    const uncounted = { search: () => [[{ id: idOf(1) }], undefined] as const };
    const parts = { name: "todos", only: ["index"], schema } as const;
    const index = (_: Request, __: string, [items, total]: readonly [readonly unknown[], number | undefined]): Html =>
      html`${items.length} of ${String(total)}`;
    const ask = application(resourceOfService({ ...parts, view: { index }, service: uncounted }));
    assert.equal(await textOf(ask("/todos")), "1 of undefined");
    // @ts-expect-error: the view needs a number
    resourceOfService({ ...parts, view: { index: view.index }, service: uncounted });
    const json = application(jsonOfService({ ...parts, service: uncounted }));
    assert.equal(await textOf(json("/todos")), `{"data":[{"id":"${idOf(1)}"}],"limit":50,"offset":0}`);
  });
});
