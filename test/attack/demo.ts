// The attacked application: a resource `items` with pages and a JSON API, and the other parts of a site.
import { LogInternals } from "../../src/log/index.ts";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  App,
  Configuration,
  error,
  type Log,
  Migration,
  ok,
  Random,
  type Result,
  Schema,
  Service,
  Time,
  Web,
} from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, prepareSearchRequest, Row, runSearchRequest, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { html, type Html, json } from "limmat/html";
import { Form, type Form as FormData } from "limmat/schema";

/** Text in every file that must not be served. */
export const canary = "canary-c0ffee-4711";

/** Demo application with its observable state. */
export interface Demo {
  readonly app: App.Application;
  readonly http: Web.Http.HttpService;
  readonly database: Database;
  /** Paths under `/smuggled` whose handler ran. No attack may reach them. */
  readonly reached: ReadonlySet<string>;
  /** Logged errors. Tests may clear the list. */
  readonly faults: Log.Entry[];
  /** Starts services and server on a free port, and returns the port. */
  readonly start: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Options of the demo application. */
export interface DemoOptions {
  readonly limits?: Partial<Web.Http.Limits>;
  /** Middlewares inside the middlewares of the framework, outside those of the site. */
  readonly middlewares?: readonly Web.Middleware[];
  readonly directory?: string;
  /** Routes in front of the routes of the demo. */
  readonly routes?: readonly Web.Router[];
  readonly settings?: readonly (readonly [key: string, value: string])[];
  /** Called with each log entry. */
  readonly onLog?: (entry: Log.Entry) => void;
}

// Text input with the default limits of the framework. A name is required.
const schema = Schema.record({
  name: Schema.string({ validate: (name) => (name.trim() === "" ? "Please enter a name" : undefined) }),
  qty: Schema.int({ min: 0, max: 2_147_483_647, default: 0 }),
  done: Schema.bool(),
});

type Input = Schema.Infer<typeof schema>;

/** Stored item. */
interface Item extends Input {
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const itemRow = Row.record({
  id: Row.uuid,
  name: Row.text,
  qty: Row.int,
  done: Row.bool,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
});
const columns = sql.columns(itemRow);

const migrations = [
  Migration.make("items", [
    Migration.step(
      "create table items",
      ({ uuid, string, int, bool, timestamp }) => `create table items (
        id ${uuid} primary key, name ${string(255)} not null, qty ${int} not null, done ${bool} not null,
        created_at ${timestamp} not null, updated_at ${timestamp} not null
      )`,
    ),
    Migration.step(
      "create table sentinels",
      ({ string }) => `create table sentinels (word ${string(50)} not null);
        insert into sentinels (word) values ('${canary}')`,
    ),
  ]),
];

function itemsOf(database: Database): Web.Rest.ResourceService<Item, Input> {
  const request = prepareSearchRequest({
    search: sql`select count(*) over () as total, ${columns} from items`,
    row: itemRow,
    filter: ["name"],
    sort: "created_at",
  });
  const find = (id: string): Promise<Item | undefined> =>
    database.findOpt(sql.row(itemRow)`select ${columns} from items where id = ${id}`);
  return {
    find,
    search: (query) => runSearchRequest(database, request, query),
    insert: async (input) => {
      const now = Time.now();
      const item = { ...input, id: Random.uuid(), created_at: now, updated_at: now };
      await database.exec(sql`insert into items (${columns})
        values (${item.id}, ${item.name}, ${item.qty}, ${item.done}, ${item.created_at}, ${item.updated_at})`);
      return ok(item);
    },
    update: async (id, input): Promise<Result<Item>> => {
      const item = await find(id);
      if (item === undefined) return error("This item is gone");
      const updated = { ...item, ...input, updated_at: Time.now() };
      await database.exec(sql`update items set name = ${updated.name}, qty = ${updated.qty}, done = ${updated.done},
        updated_at = ${updated.updated_at} where id = ${id}`);
      return ok(updated);
    },
    delete: async (item) => {
      await database.exec(sql`delete from items where id = ${item.id}`);
      return ok();
    },
  };
}

const page = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <script>
          window.names = [];
        </script>
      </head>
      <body data-title="${title}">
        ${content}
      </body>
    </html>`;

const form = (csrf: string, fields: FormData, action: string, method?: string): Html => {
  const [name, nameError] = Form.find(fields, "name");
  const [qty, qtyError] = Form.find(fields, "qty");
  const [done] = Form.find(fields, "done");
  return html`<form method="post" action="${action}" novalidate>
    <input type="hidden" name="csrf" value="${csrf}" />
    ${method === undefined ? undefined : html`<input type="hidden" name="_method" value="${method}" />`}
    <textarea name="name" title="${name}">${name}</textarea>
    <p id="name-error">${nameError}</p>
    <input name="qty" value="${qty}" />
    <p id="qty-error">${qtyError}</p>
    <input type="checkbox" name="done" value="true" ?checked=${done === "true"} />
    <button>Send</button>
  </form>`;
};

const view: Web.Rest.ResourceView<Item> = {
  index: (request, csrf, [items, total], query) =>
    page(
      "Items",
      html`<p id="notice">${Web.Flash.notice(request)}</p>
        <p id="total">${total}</p>
        <input name="filter" value="${query.filter}" />
        ${items.map(
          (item) =>
            html`<li title="${item.name}" data-name="${item.name}">
              <a href="/items/${item.id}?name=${encodeURIComponent(item.name)}">${item.name}</a>
              <input value="${item.name}" />
              <textarea>${item.name}</textarea>
              <script type="application/json">
                ${json(item)}
              </script>
              <script>
                window.names.push(${json(item.name)});
              </script>
            </li>`,
        )}
        <p id="token">${csrf}</p>`,
    ),
  new: (_request, csrf, fields) => page("New", form(csrf, fields, "/items")),
  show: (_request, item) =>
    page(
      item.name,
      html`<h1>${item.name}</h1>
        <p id="qty">${item.qty}</p>
        <script type="application/json" id="data">
          ${json(item)}
        </script>`,
    ),
  edit: (_request, csrf, fields, item) => page(`Edit ${item.name}`, form(csrf, fields, `/items/${item.id}`, "put")),
};

/** Creates a public directory with secret files above it, next to it, and behind links in it. */
export function publicFolder(): { readonly path: string } & Disposable {
  const root = mkdtempSync(join(tmpdir(), "limmat-attack-"));
  const path = join(root, "site/public");
  mkdirSync(join(path, "css/.git"), { recursive: true });
  for (const sibling of ["public2", "public.bak", "Public", "publi"]) mkdirSync(join(root, "site", sibling));
  const secrets = ["", "site", "site/public2", "site/public.bak", "site/Public", "site/publi", "site/public/css/.git"];
  for (const folder of secrets) {
    for (const name of ["secret.txt", ".env", "config"]) writeFileSync(join(root, folder, name), canary);
  }
  for (const hidden of [".env", ".htaccess", "css/.hidden.css"]) writeFileSync(join(path, hidden), canary);
  writeFileSync(join(path, "open.txt"), "open to all");
  writeFileSync(join(path, "css/app.css"), "p { color: green }");
  writeFileSync(join(path, "big.bin"), Buffer.alloc(8 * 1024 * 1024, "x"));
  symlinkSync(root, join(path, "up"));
  symlinkSync("../../../secret.txt", join(path, "css/link.txt"));
  symlinkSync("../public2", join(path, "beside"));
  symlinkSync("loop", join(path, "loop"));
  symlinkSync("open.txt", join(path, "inside.txt"));
  spawnSync("mkfifo", [join(path, "pipe")]);
  return { path, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** Creates the application, as a user would, with a database in memory. */
export function makeDemo(options: DemoOptions = {}): Demo {
  const database = sqlite({ url: ":memory:" });
  const migration = Migration.service({ database, migrations });
  const service = itemsOf(database);
  const reached = new Set<string>();
  const smuggle: Web.Handler = (request) => {
    reached.add(request.path);
    return Web.Response.text("smuggled");
  };

  const site = Web.choose(
    [
      Web.get("/", () => Web.Response.text("home")),
      ...Web.Rest.resourceOfService({ name: "items", schema, view, service }),
      ...Web.Rest.resourceOfService({ name: "shown", schema, view, service, only: ["index", "show"] }),
      Web.get("/session/:key/:value", (request) =>
        Web.Session.set([[request.params.key, request.params.value]], Web.Response.text("set")),
      ),
      Web.get("/session/:key", (request) =>
        Web.Response.json({ value: Web.Session.find(request.params.key, request) ?? null }),
      ),
    ],
    { middlewares: Web.Middleware.site() },
  );
  const api = Web.choose(
    [
      ...Web.Rest.jsonOfService({ name: "items", schema, service }),
      Web.post("/echo", echo),
      Web.post("/stream", measure),
      Web.any("/ignore", () => Web.Response.text("ignored")),
      Web.post("/form", readForm),
      Web.post("/json", readJson),
      Web.get("/query", (request) => Web.Response.json([...request.query])),
      Web.get("/cookies", (request) => Web.Response.json(request.cookies)),
      Web.get("/redirect", (request) => Web.Response.redirect(request.query.get("to") ?? "/")),
      Web.get("/header", (request) =>
        Web.Response.text("ok", { headers: { "x-echo": request.query.get("value") ?? "" } }),
      ),
      Web.get("/url", (request) => Web.Response.text(request.url.href)),
      Web.get("/path/*rest", (request) => Web.Response.json([request.path, request.params.rest])),
      Web.get("/wait/:ms", wait),
      Web.get("/medium", () => Web.Response.text("x".repeat(32 * 1024))),
      Web.get("/large", () => Web.Response.text("x".repeat(16 * 1024 * 1024))),
      Web.get("/flood", () => Web.Response.stream(flood())),
    ],
    { scope: "/api", middlewares: Web.Middleware.api() },
  );
  const router = Web.choose([
    ...(options.routes ?? []),
    site,
    api,
    Web.Health.router(),
    Web.any("/smuggled", smuggle),
    Web.any("/smuggled/*rest", smuggle),
  ]);

  const { limits, middlewares } = options;
  // The database is empty in each new process.
  const tables = Service.make({
    name: "tables",
    dependencies: () => [migration],
    start: async () => void (await migration.runAll()),
  });
  const http = Web.Http.service({
    router,
    dependencies: () => [tables],
    // On a busy machine no request is shed and no connection closed between two requests, except in the tests of that.
    limits: { maxEventLoopDelayMs: 0, keepAliveMs: 60_000, ...limits },
    ...(middlewares === undefined ? {} : { middlewares }),
  });
  const faults: Log.Entry[] = [];
  const record = (entry: Log.Entry): void => {
    if (entry.level === "error") faults.push(entry);
    options.onLog?.(entry);
  };
  const app = App.create({
    services: [database, migration, tables, http],
    reporters: [{ report: record }],
  });

  return {
    app,
    http,
    database,
    faults,
    reached,
    start: async () => {
      Configuration.store([
        ["FRAMEWORK_ENV", "test"],
        ["CHECK_CSRF", "true"],
        ["HOST", "127.0.0.1"],
        ["PORT", "0"],
        ["PUBLIC_DIR", options.directory ?? "/nonexistent"],
        ...(options.settings ?? []),
      ]);
      await app.start();
      return http.address()?.port ?? 0;
    },
    stop: async () => {
      await app.stop();
      ConfigurationInternals.reset();
      LogInternals.reset();
    },
  };
}

const echo: Web.Handler = async (request) => Web.Response.bytes(await request.bytes());
const readForm: Web.Handler = async (request) => Web.Response.json(await request.form());
const readJson: Web.Handler = async (request) => Web.Response.json((await request.json()) ?? null);

const measure: Web.Handler = async (request) => {
  let size = 0;
  for await (const chunk of request.body) size += chunk.byteLength;
  return Web.Response.text(String(size));
};

const wait: Web.Handler<{ readonly ms: string }> = async (request) => {
  await Time.sleep(Math.min(Number(request.params.ms) || 0, 10_000), { signal: request.signal });
  return Web.Response.text("waited");
};

async function* flood(): AsyncGenerator<string> {
  const chunk = "x".repeat(64 * 1024);
  for (let count = 0; count < 10_000; count++) yield await Promise.resolve(chunk);
}
