import { ok, Random, Schema, Time, Web } from "limmat";
import { prepareSearchRequest, Row, runSearchRequest, sql } from "limmat/database";
import { site, view } from "./limmat-site.mjs";

const schema = Schema.record({
  title: Schema.string({
    validate: (title) => {
      if (title.trim() === "") return "Please enter a title";
      return title.length > 200 ? "At most 200 characters, please" : undefined;
    },
  }),
  done: Schema.bool(),
});

const todoRow = Row.record({
  id: Row.uuid,
  title: Row.text,
  done: Row.bool,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
});

const columns = sql.columns(todoRow);

const searchRequest = prepareSearchRequest({
  from: sql`todos`,
  row: todoRow,
  filter: ["title"],
  sort: "created_at",
});

/** Returns the site with a resource in a database. */
export function todos(database) {
  const service = {
    search: (query) => runSearchRequest(database, searchRequest, query),
    insert: async (value) => {
      const now = Time.now();
      const todo = { ...value, id: Random.uuid(), created_at: now, updated_at: now };
      await database.exec(sql`insert into todos (${columns})
        values (${todo.id}, ${todo.title}, ${todo.done}, ${todo.created_at}, ${todo.updated_at})`);
      return ok(todo);
    },
  };
  const resource = Web.Rest.resourceOfService({
    name: "todos",
    only: ["index", "create"],
    schema,
    view,
    service,
    texts: { created: "Todo created" },
  });
  return { routes: [...site().routes, ...resource], services: [database] };
}
