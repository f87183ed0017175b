// Express 5 with the middleware that its documentation lists: cookie-session, serve-static, connect-flash; csrf-sync
// instead of the deprecated csurf; Eta as view engine; pg.
import { basename } from "node:path";
import express from "express";
import { contestant } from "../../harness/contestant.mjs";
import { absentHash } from "../../work/absent-hash.mjs";
import { aboutText, database, publicFolder, resources, rows, secret, viewsFolder } from "../../work/data.mjs";

const listen = (app) => {
  app.disable("x-powered-by");
  // Entity tags where a response can repeat: files, and the page without a token.
  app.disable("etag");
  return new Promise((resolve) => {
    const server = app.listen(0, "127.0.0.1", () => resolve(server.address().port));
  });
};

async function views(app) {
  const { Eta } = await import("eta");
  const eta = new Eta({ views: viewsFolder, cache: true });
  app.engine("eta", (path, data, done) => done(null, eta.render(basename(path), data)));
  app.set("view engine", "eta");
  app.set("views", viewsFolder);
}

async function pool() {
  const { default: pg } = await import("pg");
  return new pg.Pool(database);
}

async function site() {
  const { default: session } = await import("cookie-session");
  const { default: flash } = await import("connect-flash");
  const { csrfSync } = await import("csrf-sync");
  const { generateToken, csrfSynchronisedProtection } = csrfSync({ getTokenFromRequest: ({ body }) => body._csrf });
  const app = express();
  await views(app);
  app.use(express.urlencoded());
  app.use(session({ secret, sameSite: "lax" }));
  app.use(flash());
  app.use(csrfSynchronisedProtection);
  app.use((request, response, next) => {
    response.page = (data) =>
      response.render("todos", {
        name: request.session.name ?? "nobody",
        notices: request.flash("notice"),
        csrf: data.text === undefined ? generateToken(request) : undefined,
        ...data,
      });
    next();
  });
  app.get("/enter", (request, response) => {
    request.session.name = "Ada";
    request.flash("notice", "Welcome, Ada");
    response.redirect(303, "/site");
  });
  const tagged = express();
  tagged.disable("x-powered-by");
  tagged.get("/about", (_request, response) => response.page({ heading: "About", text: aboutText }));
  app.use(tagged);
  app.get("/site", (_request, response) => response.page({ heading: "Todos", items: rows }));
  return app;
}

const insert = { name: "insert", text: "insert into todos (title, done) values ($1, $2)" };

async function todos() {
  const app = await site();
  const db = await pool();
  app.get("/todos", async (request, response) => {
    const { filter = "", sort } = request.query;
    const limit = Math.min(Number(request.query.limit ?? 50), 1000);
    const offset = Number(request.query.offset ?? 0);
    if (!Number.isInteger(offset) || !Number.isInteger(limit) || offset < 0 || limit < 1)
      return response.sendStatus(400);
    const values = filter === "" ? [limit, offset] : [limit, offset, `%${filter.replace(/[\\%_]/g, "\\$&")}%`];
    const direction = sort === "asc" ? "asc" : "desc";
    const { rows: items } = await db.query({
      name: `search ${filter === "" ? "" : "filtered "}${direction}`,
      text: `select count(*) over () as total, id, title, done, created_at, updated_at from todos
      ${filter === "" ? "" : "where title ilike $3"}
      order by created_at ${direction} limit $1 offset $2`,
      values,
    });
    const total = Number(items[0]?.total ?? 0);
    const search = { filter, total, first: offset + 1, last: offset + items.length };
    response.page({ heading: "Todos", items, search });
  });
  app.post("/todos", async (request, response) => {
    const { title = "", done } = request.body;
    const error =
      title.trim() === "" ? "Please enter a title" : title.length > 200 ? "At most 200 characters, please" : undefined;
    if (error !== undefined) return response.status(422).page({ heading: "New todo", title, error });
    await db.query({ ...insert, values: [title, done === "on"] });
    request.flash("notice", "Todo created");
    response.redirect(303, "/todos");
  });
  return app;
}

const byEmail = { name: "login", text: "select id, password from accounts where email = $1" };
const byId = { name: "account", text: "select email from accounts where id = $1" };

async function login() {
  const { verify } = await import("@node-rs/argon2");
  const app = await site();
  const db = await pool();
  const absent = await absentHash();
  app.post("/login", async (request, response) => {
    const { email = "", password = "" } = request.body;
    const { rows: found } = await db.query({ ...byEmail, values: [email] });
    const isRight = await verify(found[0]?.password ?? absent, password);
    if (!isRight || found.length === 0) return response.status(422).send("Wrong e-mail address or password");
    request.session = { user_id: found[0].id };
    response.redirect(303, "/account");
  });
  app.get("/account", async (request, response) => {
    const id = request.session.user_id;
    if (id === undefined) return response.sendStatus(401);
    const { rows: found } = await db.query({ ...byId, values: [id] });
    response.send(found[0].email);
  });
  return app;
}

const random = () => 1 + Math.floor(Math.random() * 10_000);

// Named, as users who measure write them: PostgreSQL plans each statement once per connection.
const worldById = { name: "world", text: 'select id, randomnumber as "randomNumber" from world where id = $1' };
const update = {
  name: "update",
  text: "update world set randomnumber = n from unnest($1::integer[], $2::integer[]) t (i, n) where id = i",
};
const allFortunes = { name: "fortunes", text: "select id, message from fortune" };

async function world() {
  const app = express();
  await views(app);
  const db = await pool();
  const findById = async (id) => (await db.query({ ...worldById, values: [id] })).rows[0];
  const find = () => findById(random());
  const findMany = ({ query: { queries } }) =>
    Promise.all(Array.from({ length: Math.min(Math.max(Number.parseInt(queries, 10) || 1, 1), 500) }, find));
  app.get("/row/:id", async (request, response) => {
    if (!/^\d{1,9}$/.test(request.params.id)) return response.sendStatus(400);
    const found = await findById(request.params.id);
    if (found === undefined) response.sendStatus(404);
    else response.json(found);
  });
  app.get("/db", async (_request, response) => response.json(await find()));
  app.get("/queries", async (request, response) => response.json(await findMany(request)));
  app.get("/updates", async (request, response) => {
    const worlds = await findMany(request);
    for (const row of worlds) row.randomNumber = random();
    const sorted = worlds.toSorted((a, b) => a.id - b.id);
    const values = [sorted.map(({ id }) => id), sorted.map(({ randomNumber }) => randomNumber)];
    await db.query({ ...update, values });
    response.json(worlds);
  });
  app.get("/fortunes", async (_request, response) => {
    const { rows: fortunes } = await db.query(allFortunes);
    fortunes.push({ id: 0, message: "Additional fortune added at request time." });
    fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
    response.render("fortunes", { fortunes });
  });
  return app;
}

await contestant({
  json: () => {
    const app = express();
    app.get("/hello/:name", (request, response) => response.json({ hello: request.params.name }));
    return listen(app);
  },

  plaintext: () => {
    const app = express();
    app.get("/plaintext", (_request, response) => response.type("text/plain").send("Hello, World!"));
    return listen(app);
  },

  routes: () => {
    const app = express();
    for (const resource of resources) {
      app.get(`/${resource}`, (_request, response) => response.json({ action: `${resource}.index` }));
      app.get(`/${resource}/new`, (_request, response) => response.json({ action: `${resource}.new` }));
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        app.get(`/${resource}/:id${suffix}`, ({ params }, response) =>
          response.json({ action: `${resource}.${action}`, ...params }),
        );
    }
    return listen(app);
  },

  middlewares: () => {
    const app = express();
    for (let n = 0; n < 10; n += 1)
      app.use((request, _response, next) => {
        request.middlewares = (request.middlewares ?? 0) + 1;
        next();
      });
    app.get("/hello/:name", ({ params, middlewares }, response) => response.json({ hello: params.name, middlewares }));
    return listen(app);
  },

  orders: () => {
    const app = express();
    app.use(express.json());
    app.post("/orders", ({ body: { lines } }, response) => {
      let total = 0;
      for (const { quantity, price } of lines) total += quantity * price;
      response.json({ lines: lines.length, total });
    });
    return listen(app);
  },

  static: () => {
    const app = express();
    app.use(express.static(publicFolder));
    return listen(app);
  },

  site: async () => listen(await site()),
  "todos-postgresql": async () => listen(await todos()),
  login: async () => listen(await login()),
  world: async () => listen(await world()),
});
