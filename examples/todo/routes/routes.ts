import { Web } from "limmat";
import { schema } from "../app/domain/todo/entity.ts";
import * as Todo from "../app/domain/todo/todo.ts";
import * as TodoView from "../web/view/todo.ts";

const site = Web.choose(
  [
    Web.get("/", () => Web.Response.redirect("/todos")),
    ...Web.Rest.resourceOfService({
      name: "todos",
      schema,
      view: TodoView,
      service: Todo,
      texts: { one: "to-do" },
    }),
  ],
  { middlewares: Web.Middleware.site() },
);

const api = Web.choose([Web.get("/hello/:name", (request) => Web.Response.json({ hello: request.params.name }))], {
  scope: "/api",
  middlewares: Web.Middleware.api(),
});

export const router = Web.choose([site, api]);
