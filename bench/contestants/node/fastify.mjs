// Fastify 5 with its own plugins: fastify.dev, and the README of each plugin.
import Fastify from "fastify";
import { contestant } from "../../harness/contestant.mjs";
import { absentHash } from "../../work/absent-hash.mjs";
import { aboutText, database, publicFolder, resources, rows, secret, viewsFolder } from "../../work/data.mjs";

async function listen(app) {
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server.address().port;
}

const object = (properties) => ({ schema: { response: { 200: { type: "object", properties } } } });
const string = { type: "string" };
const integer = { type: "integer" };

async function views(app) {
  const { default: view } = await import("@fastify/view");
  const { Eta } = await import("eta");
  await app.register(view, { engine: { eta: new Eta() }, templates: viewsFolder });
}

async function postgres(app) {
  const { default: plugin } = await import("@fastify/postgres");
  await app.register(plugin, database);
}

async function site() {
  const app = Fastify();
  await app.register(import("@fastify/formbody"));
  await app.register(import("@fastify/secure-session"), {
    key: Buffer.from(secret),
    cookie: { path: "/", httpOnly: true, sameSite: "lax" },
  });
  await app.register(import("@fastify/flash"));
  await app.register(import("@fastify/csrf-protection"), { sessionPlugin: "@fastify/secure-session" });
  await views(app);
  app.decorateReply("page", function page(data) {
    const { session } = this.request;
    return this.viewAsync("todos.eta", {
      name: session.get("name") ?? "nobody",
      notices: this.flash("notice"),
      csrf: data.text === undefined ? this.generateCsrf() : undefined,
      ...data,
    });
  });
  app.get("/enter", (request, reply) => {
    request.session.set("name", "Ada");
    request.flash("notice", "Welcome, Ada");
    return reply.redirect("/site", 303);
  });
  // Only this page can repeat: the others have a CSRF token.
  await app.register(async (tagged) => {
    await tagged.register(import("@fastify/etag"));
    tagged.get("/about", (_request, reply) => reply.page({ heading: "About", text: aboutText }));
  });
  app.get("/site", (_request, reply) => reply.page({ heading: "Todos", items: rows }));
  return app;
}

const insert = { name: "insert", text: "insert into todos (title, done) values ($1, $2)" };

async function todos() {
  const app = await site();
  await postgres(app);
  app.get(
    "/todos",
    {
      schema: {
        querystring: {
          type: "object",
          properties: {
            filter: { ...string, maxLength: 256, default: "" },
            limit: { ...integer, minimum: 1, maximum: 1000, default: 50 },
            offset: { ...integer, minimum: 0, default: 0 },
            sort: { ...string, enum: ["asc", "desc"], default: "desc" },
          },
        },
      },
    },
    async (request, reply) => {
      const { filter, limit, offset, sort } = request.query;
      const values = filter === "" ? [limit, offset] : [limit, offset, `%${filter.replace(/[\\%_]/g, "\\$&")}%`];
      const { rows: items } = await app.pg.query({
        name: `search ${filter === "" ? "" : "filtered "}${sort}`,
        text: `select count(*) over () as total, id, title, done, created_at, updated_at from todos
        ${filter === "" ? "" : "where title ilike $3"}
        order by created_at ${sort} limit $1 offset $2`,
        values,
      });
      const total = Number(items[0]?.total ?? 0);
      const search = { filter, total, first: offset + 1, last: offset + items.length };
      return reply.page({ heading: "Todos", items, search });
    },
  );
  app.post(
    "/todos",
    {
      preHandler: app.csrfProtection,
      attachValidation: true,
      schema: {
        body: {
          type: "object",
          required: ["title"],
          properties: { title: { ...string, maxLength: 200, pattern: "\\S" }, done: { ...string, enum: ["on"] } },
        },
      },
    },
    async (request, reply) => {
      const { title = "", done } = request.body;
      if (request.validationError) {
        const { keyword } = request.validationError.validation[0];
        const error = keyword === "maxLength" ? "At most 200 characters, please" : "Please enter a title";
        return reply.code(422).page({ heading: "New todo", title, error });
      }
      await app.pg.query({ ...insert, values: [title, done === "on"] });
      request.flash("notice", "Todo created");
      return reply.redirect("/todos", 303);
    },
  );
  return app;
}

const byEmail = { name: "login", text: "select id, password from accounts where email = $1" };
const byId = { name: "account", text: "select email from accounts where id = $1" };

async function login() {
  const { verify } = await import("@node-rs/argon2");
  const app = await site();
  await postgres(app);
  const absent = await absentHash();
  app.post(
    "/login",
    {
      preHandler: app.csrfProtection,
      schema: {
        body: { type: "object", required: ["email", "password"], properties: { email: string, password: string } },
      },
    },
    async (request, reply) => {
      const { email, password } = request.body;
      const { rows: found } = await app.pg.query({ ...byEmail, values: [email] });
      const isRight = await verify(found[0]?.password ?? absent, password);
      if (!isRight || found.length === 0) return reply.code(422).send("Wrong e-mail address or password");
      request.session.regenerate();
      request.session.set("user_id", found[0].id);
      return reply.redirect("/account", 303);
    },
  );
  app.get("/account", async (request, reply) => {
    const id = request.session.get("user_id");
    if (id === undefined) return reply.code(401).send();
    const { rows: found } = await app.pg.query({ ...byId, values: [id] });
    return found[0].email;
  });
  return app;
}

const random = () => 1 + Math.floor(Math.random() * 10_000);

// Named, as users who measure write them: PostgreSQL plans each statement once per connection.
const worldById = { name: "world", text: 'select id, randomnumber as "randomNumber" from world where id = $1' };
const allWorlds = { name: "worlds", text: 'select id, randomnumber as "randomNumber" from world' };
const update = {
  name: "update",
  text: "update world set randomnumber = n from unnest($1::integer[], $2::integer[]) t (i, n) where id = i",
};
const allFortunes = { name: "fortunes", text: "select id, message from fortune" };

const countOf = (text) => Math.min(Math.max(Number.parseInt(text, 10) || 1, 1), 500);

async function world() {
  const app = Fastify();
  await postgres(app);
  await views(app);
  const row = { type: "object", properties: { id: integer, randomNumber: integer } };
  const one = { schema: { response: { 200: row } } };
  const many = { schema: { response: { 200: { type: "array", items: row } } } };
  const findById = async (id) => (await app.pg.query({ ...worldById, values: [id] })).rows[0];
  const find = () => findById(random());
  const findMany = ({ query: { queries } }) => Promise.all(Array.from({ length: countOf(queries) }, find));
  const params = { type: "object", properties: { id: integer } };
  app.get("/row/:id", { schema: { params, ...one.schema } }, async (request, reply) => {
    const found = await findById(request.params.id);
    return found ?? reply.code(404).send();
  });
  app.get("/db", one, find);
  app.get("/queries", many, findMany);
  let cached;
  app.get("/cached-queries", many, async ({ query: { count } }) => {
    cached ??= app.pg.query(allWorlds).then((result) => new Map(result.rows.map((found) => [found.id, found])));
    const worlds = await cached;
    return Array.from({ length: countOf(count) }, () => worlds.get(random()));
  });
  app.get("/updates", many, async (request) => {
    const worlds = await findMany(request);
    for (const found of worlds) found.randomNumber = random();
    const sorted = worlds.toSorted((a, b) => a.id - b.id);
    const values = [sorted.map(({ id }) => id), sorted.map(({ randomNumber }) => randomNumber)];
    await app.pg.query({ ...update, values });
    return worlds;
  });
  app.get("/fortunes", async (_request, reply) => {
    const { rows: fortunes } = await app.pg.query(allFortunes);
    fortunes.push({ id: 0, message: "Additional fortune added at request time." });
    fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
    return reply.viewAsync("fortunes.eta", { fortunes });
  });
  return app;
}

await contestant({
  json: () => {
    const app = Fastify();
    app.get("/hello/:name", object({ hello: string }), async (request) => ({ hello: request.params.name }));
    return listen(app);
  },

  routes: () => {
    const app = Fastify();
    const options = object({ action: string, id: string, item: string });
    for (const resource of resources) {
      app.get(`/${resource}`, options, async () => ({ action: `${resource}.index` }));
      app.get(`/${resource}/new`, options, async () => ({ action: `${resource}.new` }));
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        app.get(`/${resource}/:id${suffix}`, options, async ({ params }) => ({
          action: `${resource}.${action}`,
          ...params,
        }));
    }
    return listen(app);
  },

  middlewares: () => {
    const app = Fastify();
    app.decorateRequest("middlewares", 0);
    for (let n = 0; n < 10; n += 1)
      app.addHook("onRequest", async (request) => {
        request.middlewares += 1;
      });
    app.get("/hello/:name", object({ hello: string, middlewares: integer }), async (request) => ({
      hello: request.params.name,
      middlewares: request.middlewares,
    }));
    return listen(app);
  },

  orders: () => {
    const app = Fastify();
    app.post(
      "/orders",
      {
        schema: {
          response: { 200: { type: "object", properties: { lines: integer, total: integer } } },
        },
      },
      async ({ body: { lines } }) => {
        let total = 0;
        for (const { quantity, price } of lines) total += quantity * price;
        return { lines: lines.length, total };
      },
    );
    return listen(app);
  },

  static: async () => {
    const app = Fastify();
    await app.register(import("@fastify/static"), { root: publicFolder });
    return listen(app);
  },

  plaintext: async () => listen((await import("./fastify-wire.mjs")).plaintext()),
  tls: async () => listen((await import("./fastify-wire.mjs")).tls()),
  processes: async () => (await import("./fastify-wire.mjs")).processes(listen),
  events: async () => listen((await import("./fastify-wire.mjs")).events()),
  report: async () => listen(await (await import("./fastify-wire.mjs")).report()),
  upload: async () => listen(await (await import("./fastify-wire.mjs")).upload()),
  assets: async () => listen(await (await import("./fastify-wire.mjs")).assets()),
  crud: async () => listen(await (await import("./fastify-wire.mjs")).crud(postgres)),
  site: async () => listen(await site()),
  "todos-postgresql": async () => listen(await todos()),
  login: async () => listen(await login()),
  world: async () => listen(await world()),
  cached: async () => listen(await world()),
});
