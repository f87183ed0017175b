// limmat as in its guides: one service list, routers, the stacks `site` and `api`, `html`, `sql`.
import { App, Configuration, Web } from "limmat";
import { answers, contestant, freePort } from "../../harness/contestant.mjs";
import { assetsFolder, database, mariadbDatabase, resources, sqliteFile, tlsFiles } from "../../work/data.mjs";

// Folder of its log.
const root = new URL("../../results/", import.meta.url).pathname;

async function start(router, services = []) {
  const http = Web.Http.service({ router });
  await App.create({ root, services: [...services, http] }).start();
  return /** @type {{ port: number }} */ (http.address()).port;
}

const api = (routes, middlewares = []) =>
  start(Web.choose(routes, { middlewares: [...Web.Middleware.api(), ...middlewares] }));

const count = Web.Request.key("middlewares passed");

async function site(pages) {
  const { routes, services, prepare } = await pages();
  const port = await start(Web.choose(routes, { middlewares: Web.Middleware.site() }), services);
  await prepare?.();
  return port;
}

const urls = {
  sqlite: sqliteFile,
  postgresql: `postgresql://${database.user}@${database.host}:${database.port}/${database.database}`,
  mariadb: `mariadb://${mariadbDatabase.user}@${mariadbDatabase.host}:${mariadbDatabase.port}/${mariadbDatabase.database}`,
};

async function open(backend) {
  Configuration.store([["DATABASE_URL", urls[backend]]]);
  return (await import(`limmat/database/${backend}`))[backend]();
}

const todos = (backend) => site(async () => (await import("./limmat-todos.mjs")).todos(await open(backend)));

const hello = () => Web.get("/hello/:name", ({ params }) => Web.Response.json({ hello: params.name }));

async function world() {
  const { routes, services } = (await import("./limmat-world.mjs")).world(await open("postgresql"));
  return start(Web.choose(routes), services);
}

await contestant({
  json: () => api([hello()]),

  routes: () =>
    api(
      resources.flatMap((resource) => [
        Web.get(`/${resource}`, () => Web.Response.json({ action: `${resource}.index` })),
        Web.get(`/${resource}/new`, () => Web.Response.json({ action: `${resource}.new` })),
        ...[
          ["", "show"],
          ["/edit", "edit"],
          ["/items/:item", "item"],
        ].map(([suffix, action]) =>
          Web.get(`/${resource}/:id${suffix}`, ({ params }) =>
            Web.Response.json({ action: `${resource}.${action}`, ...params }),
          ),
        ),
      ]),
    ),

  middlewares: () =>
    api(
      [
        Web.get("/hello/:name", (request) =>
          Web.Response.json({ hello: request.params.name, middlewares: request.get(count) }),
        ),
      ],
      Array.from({ length: 10 }, () => (handler) => (request) => {
        request.set(count, (request.get(count) ?? 0) + 1);
        return handler(request);
      }),
    ),

  orders: () =>
    api([
      Web.post("/orders", async (request) => {
        const { lines } = /** @type {any} */ (await request.json());
        let total = 0;
        for (const { quantity, price } of lines) total += quantity * price;
        return Web.Response.json({ lines: lines.length, total });
      }),
    ]),

  static: () => start(Web.choose([])),

  plaintext: async () => api((await import("./limmat-wire.mjs")).plaintext()),
  events: async () => api((await import("./limmat-wire.mjs")).events()),
  report: async () => start(Web.choose((await import("./limmat-wire.mjs")).report())),
  upload: async () => start(Web.choose((await import("./limmat-wire.mjs")).upload())),
  assets: () => {
    Configuration.store([["PUBLIC_DIR", assetsFolder]]);
    return start(Web.choose([]));
  },
  tls: () => {
    Configuration.store([
      ["TLS_CERT", tlsFiles.cert],
      ["TLS_KEY", tlsFiles.key],
    ]);
    return api([hello()]);
  },
  processes: async () => {
    // The workers inherit the port of the primary process, so it must be known before.
    const port = Number((process.env["PORT"] = await freePort()));
    const http = Web.Http.service({ router: Web.choose([hello()], { middlewares: Web.Middleware.api() }) });
    void App.create({ root, services: [http] }).run(["server", "--workers", "2"]);
    await answers(port);
    return port;
  },

  site: () => site(async () => (await import("./limmat-site.mjs")).site()),
  "todos-sqlite": () => todos("sqlite"),
  "todos-postgresql": () => todos("postgresql"),
  "todos-mariadb": () => todos("mariadb"),
  login: () => site(async () => (await import("./limmat-accounts.mjs")).login(await open("postgresql"))),
  crud: async () => {
    const { routes, services } = (await import("./limmat-crud.mjs")).crud(await open("postgresql"));
    return start(Web.choose(routes), services);
  },
  world,
  cached: world,
});
