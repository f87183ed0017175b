// AdonisJS 7 as in its starter kit: kernel middleware, session in its cookie store, shield, Edge, Vine, Lucid.
// Booted by its own factory, so that each application fits into one file.
import { IgnitorFactory } from "@adonisjs/core/factories";
import { defineConfig } from "@adonisjs/core/http";
import { contestant } from "../../harness/contestant.mjs";
import { aboutText, database, resources, rows, viewsFolder } from "../../work/data.mjs";

/** Boots an application; its routes see the router, as the services of a started application do. */
async function start(routes, { providers = [], config = {}, kernel = [], directories = {} } = {}) {
  process.env.HOST = "127.0.0.1";
  process.env.PORT = "0";
  const ignitor = new IgnitorFactory()
    .withCoreConfig()
    .withCoreProviders()
    .merge({
      rcFileContents: { providers, directories },
      config: { app: { appUrl: "http://localhost", http: defineConfig({ etag: false }) }, ...config },
    })
    .preload(async (app) => {
      const router = await app.container.make("router");
      router.use(kernel);
      await routes(router, app);
    })
    .create(new URL("../../", import.meta.url), { importer: (path) => import(path) });
  await ignitor.httpServer().start();
  const { default: server } = await import("@adonisjs/core/services/server");
  return server.getNodeServer().address().port;
}

const bodyParser = () => import("@adonisjs/core/bodyparser_middleware");

async function views() {
  const { default: edge } = await import("edge.js");
  edge.mount(`${viewsFolder}edge`);
}

async function lucid() {
  const { defineConfig: define } = await import("@adonisjs/lucid");
  return define({ connection: "postgres", connections: { postgres: { client: "pg", connection: database } } });
}

async function site(more = () => {}, providers = [], config = {}, kernel = []) {
  const session = await import("@adonisjs/session");
  const shield = await import("@adonisjs/shield");
  const sessionConfig = {
    enabled: true,
    cookieName: "adonis-session",
    clearWithBrowser: false,
    age: "2h",
    cookie: { path: "/", httpOnly: true, secure: true, sameSite: "lax" },
    store: "cookie",
    stores: { cookie: session.stores.cookie() },
  };
  const shieldConfig = {
    csp: { enabled: false, directives: {}, reportOnly: false },
    csrf: { enabled: true, exceptRoutes: [], enableXsrfCookie: false, methods: ["POST", "PUT", "PATCH", "DELETE"] },
    xFrame: { enabled: true, action: "DENY" },
    hsts: { enabled: true, maxAge: "180 days" },
    contentTypeSniffing: { enabled: true },
  };
  return start(
    async (router, app) => {
      await views();
      const { ExceptionHandler } = await import("@adonisjs/core/http");
      const server = await app.container.make("server");
      // Adonis redirects back for a wrong token. The benchmark expects 403.
      server.errorHandler(async () => ({
        default: class extends ExceptionHandler {
          debug = false;
          handle(error, ctx) {
            if (error.code === "E_BAD_CSRF_TOKEN") return ctx.response.status(403).send(error.message);
            return super.handle(error, ctx);
          }
        },
      }));
      router.get("/enter", ({ session: current, response }) => {
        current.put("name", "Ada");
        current.flash("notice", "Welcome, Ada");
        return response.redirect().status(303).toPath("/site");
      });
      // Only this page can repeat: the others have a CSRF token.
      router.get("/about", async (ctx) =>
        ctx.response.send(await render(ctx, { heading: "About", text: aboutText }), true),
      );
      router.get("/site", (ctx) => render(ctx, { heading: "Todos", items: rows }));
      await more(router, app);
    },
    {
      providers: [
        () => import("@adonisjs/core/providers/edge_provider"),
        () => import("@adonisjs/core/providers/vinejs_provider"),
        () => import("@adonisjs/session/session_provider"),
        () => import("@adonisjs/shield/shield_provider"),
        ...providers,
      ],
      config: { session: session.defineConfig(sessionConfig), shield: shield.defineConfig(shieldConfig), ...config },
      kernel: [
        bodyParser,
        () => import("@adonisjs/session/session_middleware"),
        () => import("@adonisjs/shield/shield_middleware"),
        ...kernel,
      ],
    },
  );
}

const render = ({ view, session }, data) => view.render("todos", { name: session.get("name", "nobody"), ...data });

const databaseProvider = () => import("@adonisjs/lucid/database_provider");

async function todos() {
  const { BaseModel, column } = await import("@adonisjs/lucid/orm");
  const { default: vine, SimpleMessagesProvider } = await import("@vinejs/vine");
  class Todo extends BaseModel {}
  column({ isPrimary: true })(Todo.prototype, "id");
  column()(Todo.prototype, "title");
  column()(Todo.prototype, "done");
  column.dateTime({ autoCreate: true })(Todo.prototype, "createdAt");
  column.dateTime({ autoCreate: true, autoUpdate: true })(Todo.prototype, "updatedAt");
  const asked = vine.compile(
    vine.object({
      filter: vine.string().maxLength(256).optional(),
      limit: vine.number().withoutDecimals().min(1).max(1000).optional(),
      offset: vine.number().withoutDecimals().min(0).optional(),
      sort: vine.enum(["asc", "desc"]).optional(),
    }),
  );
  const sent = vine.compile(
    vine.object({ title: vine.string().trim().minLength(1).maxLength(200), done: vine.accepted().optional() }),
  );
  sent.messagesProvider = new SimpleMessagesProvider({
    "title.required": "Please enter a title",
    "title.minLength": "Please enter a title",
    "title.maxLength": "At most 200 characters, please",
  });
  return site(
    (router) => {
      router.get("/todos", async (ctx) => {
        const { filter = "", limit = 50, offset = 0, sort = "desc" } = await ctx.request.validateUsing(asked);
        const query = Todo.query().orderBy("created_at", sort);
        if (filter !== "") query.whereILike("title", `%${filter.replace(/[\\%_]/g, "\\$&")}%`);
        const items = await query.paginate(Math.floor(offset / limit) + 1, limit);
        const search = { filter, total: items.total, first: offset + 1, last: offset + items.length };
        return render(ctx, { heading: "Todos", items: items.all(), search });
      });
      router.post("/todos", async (ctx) => {
        const [refused, todo] = await sent.tryValidate(ctx.request.all());
        if (refused) {
          ctx.response.status(422);
          const title = ctx.request.input("title") ?? "";
          return render(ctx, { heading: "New todo", title, error: refused.messages[0].message });
        }
        await Todo.create({ title: todo.title, done: todo.done !== undefined });
        ctx.session.flash("notice", "Todo created");
        return ctx.response.redirect().status(303).toPath("/todos");
      });
    },
    [databaseProvider],
    { database: await lucid() },
  );
}

async function login() {
  const { BaseModel, column } = await import("@adonisjs/lucid/orm");
  const { defineConfig: defineAuth } = await import("@adonisjs/auth");
  const { sessionGuard, sessionUserProvider } = await import("@adonisjs/auth/session");
  const { withAuthFinder } = await import("@adonisjs/auth/mixins/lucid");
  const { defineConfig: defineHash, drivers } = await import("@adonisjs/core/hash");
  let hash;
  const finder = withAuthFinder(() => hash.use("argon"), { uids: ["email"], passwordColumnName: "password" });
  class Account extends finder(BaseModel) {}
  column({ isPrimary: true })(Account.prototype, "id");
  column()(Account.prototype, "email");
  column({ serializeAs: null })(Account.prototype, "password");
  const guard = sessionGuard({
    useRememberMeTokens: false,
    provider: sessionUserProvider({ model: async () => ({ default: Account }) }),
  });
  const argon = drivers.argon2({
    version: 0x13,
    variant: "id",
    iterations: 2,
    memory: 19_456,
    parallelism: 1,
    hashLength: 32,
  });
  return site(
    async (router, app) => {
      hash = await app.container.make("hash");
      router.post("/login", async ({ auth, request, response }) => {
        const { email, password } = request.only(["email", "password"]);
        try {
          await auth.use("web").login(await Account.verifyCredentials(email, password));
        } catch (error) {
          if (error.code !== "E_INVALID_CREDENTIALS") throw error;
          return response.status(422).send("Wrong e-mail address or password");
        }
        return response.redirect().status(303).toPath("/account");
      });
      router.get("/account", async ({ auth, response }) => {
        if (!(await auth.use("web").check())) return response.status(401).send("");
        return auth.use("web").user.email;
      });
    },
    [databaseProvider, () => import("@adonisjs/auth/auth_provider")],
    {
      database: await lucid(),
      auth: defineAuth({ default: "web", guards: { web: guard } }),
      hash: defineHash({ default: "argon", list: { argon } }),
    },
    [() => import("@adonisjs/auth/initialize_auth_middleware")],
  );
}

const random = () => 1 + Math.floor(Math.random() * 10_000);

async function world() {
  const { BaseModel, column } = await import("@adonisjs/lucid/orm");
  class World extends BaseModel {
    static table = "world";
  }
  column({ isPrimary: true })(World.prototype, "id");
  column({ columnName: "randomnumber", serializeAs: "randomNumber" })(World.prototype, "randomNumber");
  class Fortune extends BaseModel {
    static table = "fortune";
  }
  column({ isPrimary: true })(Fortune.prototype, "id");
  column()(Fortune.prototype, "message");
  const find = () => World.findOrFail(random());
  const findMany = ({ request }) =>
    Promise.all(
      Array.from({ length: Math.min(Math.max(Number.parseInt(request.input("queries"), 10) || 1, 1), 500) }, find),
    );
  return start(
    async (router, app) => {
      await views();
      const db = await app.container.make("lucid.db");
      router
        .get("/row/:id", async ({ params, response }) => {
          const found = await World.find(params.id);
          return found === null ? response.status(404).send("") : found.serialize();
        })
        .where("id", router.matchers.number());
      router.get("/db", async () => (await find()).serialize());
      router.get("/queries", async (ctx) => (await findMany(ctx)).map((found) => found.serialize()));
      router.get("/updates", async (ctx) => {
        const worlds = await findMany(ctx);
        for (const found of worlds) found.randomNumber = random();
        const sorted = worlds.toSorted((a, b) => a.id - b.id);
        await db.rawQuery(
          "update world set randomnumber = n from unnest(?::integer[], ?::integer[]) t (i, n) where id = i",
          [sorted.map(({ id }) => id), sorted.map(({ randomNumber }) => randomNumber)],
        );
        return worlds.map((found) => found.serialize());
      });
      router.get("/fortunes", async ({ view }) => {
        const fortunes = await Fortune.all();
        fortunes.push(new Fortune().fill({ id: 0, message: "Additional fortune added at request time." }));
        fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
        return view.render("fortunes", { fortunes });
      });
    },
    {
      providers: [() => import("@adonisjs/core/providers/edge_provider"), databaseProvider],
      config: { database: await lucid() },
    },
  );
}

await contestant({
  json: () => start((router) => router.get("/hello/:name", ({ params }) => ({ hello: params.name }))),

  plaintext: () =>
    start((router) =>
      router.get("/plaintext", ({ response }) => {
        response.type("text/plain");
        return response.send("Hello, World!");
      }),
    ),

  routes: () =>
    start((router) => {
      for (const resource of resources) {
        router.get(`/${resource}`, () => ({ action: `${resource}.index` }));
        router.get(`/${resource}/new`, () => ({ action: `${resource}.new` }));
        for (const [suffix, action] of [
          ["", "show"],
          ["/edit", "edit"],
          ["/items/:item", "item"],
        ])
          router.get(`/${resource}/:id${suffix}`, ({ params }) => ({ action: `${resource}.${action}`, ...params }));
      }
    }),

  middlewares: () =>
    start((router) => {
      const counters = Array.from({ length: 10 }, () => async (ctx, next) => {
        ctx.middlewares = (ctx.middlewares ?? 0) + 1;
        return next();
      });
      router.get("/hello/:name", ({ params, middlewares }) => ({ hello: params.name, middlewares })).use(counters);
    }),

  orders: () =>
    start(
      (router) =>
        router.post("/orders", ({ request }) => {
          const { lines } = request.body();
          let total = 0;
          for (const { quantity, price } of lines) total += quantity * price;
          return { lines: lines.length, total };
        }),
      { kernel: [bodyParser] },
    ),

  static: async () => {
    const { defineConfig: define } = await import("@adonisjs/static");
    const config = { static: define({ enabled: true, etag: true, lastModified: true, dotFiles: "ignore" }) };
    return start(
      async (_router, app) => {
        const server = await app.container.make("server");
        server.use([() => import("@adonisjs/static/static_middleware")]);
      },
      { providers: [() => import("@adonisjs/static/static_provider")], config },
    );
  },

  site: () => site(),
  "todos-postgresql": todos,
  login,
  world,
});
