// JSON resource with rows of a database, with its own handlers, because the clients choose the identifiers.
import { Schema, Time, Web } from "limmat";
import { Row, sql } from "limmat/database";

const item = Schema.record({
  title: Schema.string({
    max: 200,
    validate: (title) => (title.trim() === "" ? "Please enter a title" : undefined),
  }),
  done: Schema.bool(),
});

const query = Schema.record({ limit: Schema.int({ min: 1, max: 1000, default: 50 }) });

const itemRow = Row.record({ id: Row.uuid, title: Row.text, done: Row.bool });
const columns = sql.columns(itemRow);

export function crud(database) {
  const notFound = () => Web.Response.json({ error: "not found" }, { status: 404 });
  const routes = [
    Web.get("/items", async (request) => {
      const { value } = query.decode([...request.query]);
      if (value === undefined) return Web.Response.json({ error: "invalid" }, { status: 400 });
      return Web.Response.json(
        await database.collect(
          sql.row(itemRow)`select ${columns} from todos order by created_at desc limit ${value.limit}`,
        ),
      );
    }),
    Web.get("/items/:id<uuid>", async ({ params }) => {
      const row = await database.findOpt(sql.row(itemRow)`select ${columns} from todos where id = ${params.id}`);
      return row === undefined ? notFound() : Web.Response.json(row);
    }),
    Web.put("/items/:id<uuid>", async (request) => {
      const { value } = item.decodeJson(await request.json());
      if (value === undefined) return Web.Response.json({ error: "invalid" }, { status: 422 });
      const { title, done } = value;
      await database.exec(sql`insert into todos (id, title, done) values (${request.params.id}, ${title}, ${done})
        on conflict (id) do update set title = ${title}, done = ${done}, updated_at = ${Time.now()}`);
      return Web.Response.empty();
    }),
    Web.delete("/items/:id<uuid>", async ({ params }) => {
      await database.exec(sql`delete from todos where id = ${params.id}`);
      return Web.Response.empty();
    }),
  ];
  return { routes: [Web.choose(routes, { middlewares: Web.Middleware.api() })], services: [database] };
}
