// Hono 4, the same applications for every host: hono.dev.
import { Hono } from "hono";
import { html } from "hono/html";
import { database, resources } from "../work/data.mjs";

const random = () => 1 + Math.floor(Math.random() * 10_000);

// Named, as users who measure write them: PostgreSQL plans each statement once per connection.
const worldById = { name: "world", text: 'select id, randomnumber as "randomNumber" from world where id = $1' };
const update = {
  name: "update",
  text: "update world set randomnumber = n from unnest($1::integer[], $2::integer[]) t (i, n) where id = i",
};
const allFortunes = { name: "fortunes", text: "select id, message from fortune" };

/** Applications by name; each host adds its own static files. */
export const applications = {
  json: () => new Hono().get("/hello/:name", (c) => c.json({ hello: c.req.param("name") })),

  plaintext: () => new Hono().get("/plaintext", (c) => c.text("Hello, World!")),

  routes: () => {
    const app = new Hono();
    for (const resource of resources) {
      app.get(`/${resource}`, (c) => c.json({ action: `${resource}.index` }));
      app.get(`/${resource}/new`, (c) => c.json({ action: `${resource}.new` }));
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        app.get(`/${resource}/:id${suffix}`, (c) => c.json({ action: `${resource}.${action}`, ...c.req.param() }));
    }
    return app;
  },

  middlewares: () => {
    const app = new Hono();
    for (let n = 0; n < 10; n += 1)
      app.use(async (c, next) => {
        c.set("middlewares", (c.get("middlewares") ?? 0) + 1);
        await next();
      });
    app.get("/hello/:name", (c) => c.json({ hello: c.req.param("name"), middlewares: c.get("middlewares") }));
    return app;
  },

  orders: () =>
    new Hono().post("/orders", async (c) => {
      const { lines } = await c.req.json();
      let total = 0;
      for (const { quantity, price } of lines) total += quantity * price;
      return c.json({ lines: lines.length, total });
    }),

  world: async () => {
    const { default: pg } = await import("pg");
    const db = new pg.Pool(database);
    const app = new Hono();
    const findById = async (id) => (await db.query({ ...worldById, values: [id] })).rows[0];
    const find = () => findById(random());
    const findMany = (c) =>
      Promise.all(
        Array.from({ length: Math.min(Math.max(Number.parseInt(c.req.query("queries"), 10) || 1, 1), 500) }, find),
      );
    app.get("/row/:id{[0-9]+}", async (c) => {
      const found = await findById(c.req.param("id"));
      return found === undefined ? c.notFound() : c.json(found);
    });
    app.get("/db", async (c) => c.json(await find()));
    app.get("/queries", async (c) => c.json(await findMany(c)));
    app.get("/updates", async (c) => {
      const worlds = await findMany(c);
      for (const world of worlds) world.randomNumber = random();
      const sorted = worlds.toSorted((a, b) => a.id - b.id);
      const values = [sorted.map(({ id }) => id), sorted.map(({ randomNumber }) => randomNumber)];
      await db.query({ ...update, values });
      return c.json(worlds);
    });
    app.get("/fortunes", async (c) => {
      const { rows } = await db.query(allFortunes);
      rows.push({ id: 0, message: "Additional fortune added at request time." });
      rows.sort((a, b) => (a.message < b.message ? -1 : 1));
      return c.html(
        html`<!doctype html>
          <html>
            <head>
              <title>Fortunes</title>
            </head>
            <body>
              <table>
                <tr>
                  <th>id</th>
                  <th>message</th>
                </tr>
                ${rows.map(
                  ({ id, message }) =>
                    html`<tr>
                      <td>${id}</td>
                      <td>${message}</td>
                    </tr>`,
                )}
              </table>
            </body>
          </html>`,
      );
    });
    return app;
  },
};
