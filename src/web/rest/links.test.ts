import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Request } from "../../http/message/request.ts";
import { defaultServerContext } from "../../http/message/request-source.ts";
import { FetchSource } from "../../http/message/fetch-request.ts";
import { type Link, link, pathsByName } from "../../http/router/link.ts";
import { choose, type Router } from "../../http/router/route.ts";
import { resourceOfService } from "./resource.ts";
import { html, type Html } from "../../html/index.ts";
import { listPath } from "./paths.ts";
import { application, schema, site, Todos, view } from "./todo-fixture.test.ts";

const service = new Todos();
const router = choose([
  ...resourceOfService({ name: "todos", schema, view, service }),
  choose(resourceOfService({ name: "todos", routeName: "listTodos", schema, view, service, only: ["index", "show"] }), {
    scope: "/lists/:list",
  }),
  ...resourceOfService({ name: "admin/todos", schema, view, service, only: ["new", "create"] }),
]);
const typed: Link<typeof router> = link;

const requestTo = (to: Router): Request =>
  Request.fromSource(
    new FetchSource(new globalThis.Request("http://localhost/"), {
      ...defaultServerContext,
      prefix: "",
      namedPaths: pathsByName(to.routes),
    }),
  );

describe("the routes of a resource have names", () => {
  const request = requestTo(router);

  test("one for each action, with its parameters", () => {
    assert.equal(typed(request, "todos.index", {}, { filter: "a" }), "/todos?filter=a");
    assert.equal(typed(request, "todos.create"), "/todos");
    assert.equal(typed(request, "todos.new"), "/todos/new");
    assert.equal(typed(request, "todos.show", { id: "1" }), "/todos/1");
    assert.equal(typed(request, "todos.edit", { id: "1" }), "/todos/1/edit");
    assert.equal(typed(request, "todos.update", { id: "1" }), "/todos/1");
    assert.equal(typed(request, "todos.destroy", { id: "1" }), "/todos/1");
  });

  test("with dots for slashes or a custom prefix, below their scope", () => {
    assert.equal(typed(request, "admin.todos.new"), "/admin/todos/new");
    assert.equal(typed(request, "listTodos.index", { list: "7" }), "/lists/7/todos");
    assert.equal(typed(request, "listTodos.show", { list: "7", id: "1" }), "/lists/7/todos/1");
  });

  test("with types, except for actions without a route", () => {
    // @ts-expect-error -- the id is missing
    assert.throws(() => typed(request, "todos.show"), { code: "E_LINK_PARAMETER" });
    // @ts-expect-error -- it is not listed
    assert.throws(() => typed(request, "admin.todos.index"), { code: "E_LINK_UNKNOWN" });
    // @ts-expect-error -- it is not listed
    assert.throws(() => typed(request, "listTodos.edit", { list: "7", id: "1" }), { code: "E_LINK_UNKNOWN" });
  });

  test("and a list path for the links of the view, on each of its pages", async () => {
    const todo = service.insert({ title: "Buy milk", done: false, priority: 3, code: undefined });
    const id = todo.ok ? todo.value.id : "";
    const page = (given: Request): Html => html`${listPath(given)}`;
    const pages = { index: page, new: page, show: page, edit: page };
    const resource = resourceOfService({ name: "a/todos", schema, view: pages, service });
    const ask = application(resource, site, { scope: "/lists/:list" });
    for (const path of ["", "/new", `/${id}`, `/${id}/edit`]) {
      assert.equal(await (await ask(`/lists/x%20y/a/todos${path}?limit=1`)).text(), "/lists/x%20y/a/todos", path);
    }
    assert.throws(() => listPath(requestTo(router)), { code: "E_RESOURCE_MISSING" });
  });

  test("which must be unique per path", async () => {
    const routers = resourceOfService({ name: "todos", schema, view, service });
    const ask = application([...routers, choose(routers, { scope: "/lists/:list" })]);
    await assert.rejects(async () => ask("/todos"), {
      code: "E_ROUTE_NAME_TAKEN",
      message: /"todos.index".*routeName/,
    });
  });
});
