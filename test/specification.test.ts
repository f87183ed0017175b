// The page docs/reference/specification.md: its names exist, and its statements that a program can check are true.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as limmat from "limmat";
import { App, Configuration, error, Form, Migration, ok, Schema, User, Web } from "limmat";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { sendgrid } from "limmat/email/sendgrid";
import { smtp } from "limmat/email/smtp";
import { html, type Html } from "limmat/html";
import { capturedLog, type Page, runCommand, visitor } from "limmat/testing";
import { ConfigurationInternals } from "../src/config/index.ts";
import { fieldTypes } from "../src/generators/field.ts";
import { testProject } from "./generators/project.ts";
import { root } from "./sources.ts";

const document = readFileSync(join(root, "docs/reference/specification.md"), "utf8");
const rows = [...document.matchAll(/^\|.*$/gm)].map(([row]) => row.replaceAll(/ +/g, " "));

test("the page of the specification's names lists names that exist", () => {
  const cells = [...document.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].map(([, cell = ""]) => cell);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z]\w*(?:\.\w+)+)`/g)].map(([, name = ""]) => name));
  assert.ok(names.length > 60);
  const exists = (name: string): boolean =>
    name.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], limmat) !==
    undefined;
  // Types have no value at run time.
  const types = ["Web.Rest.ResourceService"];
  assert.deepEqual(
    names.filter((name) => !types.includes(name) && !exists(name)),
    [],
  );
});

/** Identifiers, keys, commands and folders of the specification. */
const specificationNames = `
  ctx run.ml app/command app/domain entity.ml repository.ml app/schedule database migration.ml seed.ml logs app.log
  error.log public resources routes routes.ml run service service.ml test web
  filter limit offset sort Index Create New Edit Show Update Destroy id created_at updated_at
  prepare_search_request run_search_request uuid email username password status admin confirmed
  Session.find Session.set Flash Csrf.find csrf
  ROOT_PATH ENV_FILES_PATH CHECK_CSRF LOG_LEVEL DATABASE_POOL_SIZE DATABASE_SKIP_DEFAULT_POOL_CREATION
  DATABASE_CHOOSE_POOL PUBLIC_DIR PUBLIC_URI_PREFIX SMTP_HOST FRAMEWORK_ENV Configuration.store read_string config:list
  get post choose combine scope path middleware resource_of_service resource_of_controller only name schema
  of_request to_query_string next_page previous_page last_page first_page query_filter query_sort query_limit query_offset
  config gen.html gen.json gen.model gen.view migrate random routes server user.admin help make int bool string datetime
  find find_opt exec collect query transaction transaction' add_pool Cleaner.clean_all Random Time Schedule
  error warning info debug _opt Ptime.t Promise.t
`
  .trim()
  .split(/\s+/);

test("the page of the specification's names has a row for each of them", () => {
  const missing = specificationNames.filter((name) => {
    const word = new RegExp(`(?<![\\w.])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w'])`);
    return !rows.some((row) => word.test(row));
  });
  assert.deepEqual(missing, []);
});

/** Defines the test of statements of the page, which the page must make. */
function statement(texts: string | readonly string[], check: () => void | Promise<void>): void {
  test([texts].flat().join(" … "), async () => {
    for (const text of [texts].flat()) {
      assert.ok(
        rows.some((row) => row.includes(text)),
        `The page does not say: ${text}`,
      );
    }
    await check();
  });
}

const schema = Schema.record({ title: Schema.string({ min: 1 }) });
const [found, kept, changed, missing] = ["1", "2", "3", "4"].map(
  (digit) => `00000000-0000-4000-8000-00000000000${digit}`,
);

interface Note {
  readonly id: string;
  readonly title: string;
  readonly version: number;
}

const notes: readonly Note[] = [found, kept, changed].map((id = "") => ({ id, title: "Milk", version: 2 }));
const first = notes[0] as Note;
const service = {
  find: (id: string): Note | undefined => notes.find((note) => note.id === id),
  search: (): readonly [readonly Note[], number] => [notes, notes.length],
  insert: () => ok(first),
  update: (id: string) => (id === changed ? error({ stale: true } as const) : ok(first)),
  delete: ({ id }: Note) => (id === kept ? error("It is in use") : ok()),
};
const page = (request: Web.Request, csrf = "", title?: string): Html =>
  html`<b>${Web.Flash.notice(request)}</b><i>${Web.Flash.alert(request)}</i><input name="csrf" value="${csrf}" /><u
      >${title}</u
    >`;
const view = {
  index: (request: Web.Request, csrf: string) => page(request, csrf),
  new: (request: Web.Request, csrf: string, form: Form) => page(request, csrf, Form.find(form, "title")[0]),
  show: (request: Web.Request) => page(request),
  edit: (request: Web.Request, csrf: string, form: Form) => page(request, csrf, Form.find(form, "title")[0]),
};

const caught: unknown[] = [];
const catchErrors: Web.Middleware = (handler) => async (request) => {
  try {
    return await handler(request);
  } catch (thrown) {
    caught.push(thrown);
    throw thrown;
  }
};
const fails = (): never => {
  throw new Error("A fault");
};

const site = Web.choose(
  [
    ...Web.Rest.resourceOfService({ name: "notes", schema, service, view }),
    ...Web.Rest.resourceOfService({ name: "few", schema, service, view, only: ["index"] }),
    Web.get("/tokens", (request) => Web.Response.json([Web.Csrf.find(request), Web.Csrf.find(request)])),
    Web.post("/twice", () =>
      Web.Session.set([["b", "2"]], Web.Session.set([["a", "1"]], Web.Response.text("Set twice"))),
    ),
    Web.get("/session", (request) =>
      Web.Response.json([Web.Session.find("a", request), Web.Session.find("b", request)].map((value) => value ?? null)),
    ),
  ],
  { middlewares: Web.Middleware.site() },
);
const api = Web.choose(
  [
    Web.Rest.jsonOfService({ name: "notes", schema, service }),
    Web.get("/fails", fails),
    Web.get("/limited", () => Web.Response.empty(), {
      middlewares: [Web.Middleware.requestLimit({ limit: 1, periodMs: 60_000, key: () => "all" })],
    }),
  ].flat(),
  { scope: "/api", middlewares: [catchErrors, ...Web.Middleware.api()] },
);
const database: Database = sqlite({ url: ":memory:" });
const users = User.service({ database });
const migration = Migration.service({ database, onPending: "run" });
const http = Web.Http.service({ router: Web.choose([site, api]) });
const application = App.create({ services: [database, migration, users, http] });

describe("a statement of the page is true:", () => {
  before(async () => {
    Configuration.store([
      ["FRAMEWORK_ENV", "test"],
      ["CHECK_CSRF", "true"],
    ]);
    await application.start({ server: false });
  });
  after(async () => {
    await application.stop();
    ConfigurationInternals.reset();
  });

  const ask = (path: string, init: RequestInit = {}): Promise<Response> => application.request(path, init);

  statement("`postgresql`, `mariadb` | from `limmat/database/postgresql` and `limmat/database/mariadb`", () => {
    for (const make of [postgresql, mariadb, sqlite]) assert.equal(typeof make, "function");
  });

  statement("`smtp`, `sendgrid` | from `limmat/email/smtp` and `limmat/email/sendgrid`", () => {
    for (const make of [smtp, sendgrid]) assert.equal(typeof make, "function");
  });

  statement("the package root has no module of that name", async () => {
    assert.equal("Database" in limmat, false);
    for (const name of [
      "find",
      "findOpt",
      "exec",
      "collect",
      "query",
      "transaction",
      "transactionOrThrow",
      "addPool",
    ]) {
      assert.equal(typeof (database as unknown as Record<string, unknown>)[name], "function", name);
    }
  });

  statement(["two names of one function", "two names of one option"], async () => {
    assert.equal(Web.choose, Web.combine);
    const paths = [{ scope: "/a" }, { path: "/a" }].map(
      (options) => Web.choose([Web.get("/b", () => Web.Response.empty())], options).routes[0]?.path,
    );
    assert.deepEqual(paths, ["/a/b", "/a/b"]);
  });

  statement("the error is logged once and raised again, and the HTTP service renders the page", async () => {
    using log = capturedLog();
    const response = await ask("/api/fails");
    assert.equal(response.status, 500);
    assert.match(String(caught[0]), /A fault/);
    assert.equal(log.entries.filter(({ level }) => level === "error").length, 1);
  });

  statement('"routes of unlisted actions return 404" | `Web.Rest.resourceOfService` | the same', async () => {
    for (const path of ["/few/new", `/few/${found}`]) assert.equal((await ask(path)).status, 404);
    assert.equal((await ask("/few", { method: "POST" })).status, 404);
  });

  statement("403 (`E_CSRF`); the handler is not called", async () => {
    using _ = capturedLog();
    const response = await ask("/twice", { method: "POST", headers: { accept: "application/json" } });
    assert.deepEqual([response.status, ((await response.json()) as Problem).code], [403, "E_CSRF"]);
  });

  statement("404 (`E_NOT_FOUND`); a path that has routes for other methods only is 405", async () => {
    const headers = { accept: "application/json" };
    const unknown = await ask("/nowhere", { headers });
    assert.deepEqual([unknown.status, ((await unknown.json()) as Problem).code], [404, "E_NOT_FOUND"]);
    const other = await ask("/session", { method: "PUT", headers });
    assert.deepEqual([other.status, ((await other.json()) as Problem).code], [405, "E_METHOD_NOT_ALLOWED"]);
    assert.match(other.headers.get("allow") ?? "", /GET/);
  });

  statement("a page for browsers, a problem document (RFC 9457) for clients of JSON", async () => {
    const types = await Promise.all(
      ["text/html", "application/json"].map(async (accept) => {
        const { headers } = await ask("/nowhere", { headers: { accept } });
        return headers.get("content-type");
      }),
    );
    assert.deepEqual(types, ["text/html; charset=utf-8", "application/problem+json"]);
  });

  statement(
    [
      "303 with a notice, to the list, the item and the list",
      "422 with the filled form; a refused deletion is 303 to the list with an alert",
      "409 with both versions",
    ],
    async () => {
      const person = visitor(application);
      const answer = async ({ status, location }: Page): Promise<readonly unknown[]> => {
        const body = location === undefined ? "" : (await person.get(location)).body;
        return [status, location, /<b>.+<\/b>/.test(body), /<i>.+<\/i>/.test(body)];
      };
      await person.get("/notes/new");
      assert.deepEqual(await answer(await person.post("/notes", { title: "Milk" })), [303, "/notes", true, false]);
      assert.deepEqual(await answer(await person.put(`/notes/${found}`, { title: "Milk", version: "2" })), [
        303,
        `/notes/${found}`,
        true,
        false,
      ]);
      await person.get("/notes/new");
      assert.deepEqual(await answer(await person.delete(`/notes/${found}`)), [303, "/notes", true, false]);
      assert.deepEqual(await answer(await person.delete(`/notes/${kept}`)), [303, "/notes", false, true]);
      const invalid = await person.put(`/notes/${found}`, { title: "", version: "2" });
      assert.equal(invalid.status, 422);
      const stale = await person.put(`/notes/${changed}`, { title: "Mine", version: "1" });
      assert.equal(stale.status, 409);
      assert.match(stale.body, /Mine[^]*Milk|Milk[^]*Mine/);
      assert.equal((await person.get(`/notes/${missing}`)).status, 404);
    },
  );

  statement("`data`, `total`, `limit` and `offset` of a list; 201, 200 and 204", async () => {
    const list = (await (await ask("/api/notes")).json()) as object;
    assert.deepEqual(Object.keys(list), ["data", "total", "limit", "offset"]);
    const headers = { "content-type": "application/json", "if-match": "*" };
    const send = async (method: string, path: string): Promise<number> => {
      const create = method === "POST" ? { "content-type": "application/json" } : headers;
      return (await ask(path, { method, headers: create, body: '{"title":"Milk"}' })).status;
    };
    assert.deepEqual(
      [
        await send("POST", "/api/notes"),
        await send("PUT", `/api/notes/${found}`),
        await send("DELETE", `/api/notes/${found}`),
      ],
      [201, 200, 204],
    );
  });

  statement("the last one wins", async () => {
    const person = visitor(application);
    await person.get("/notes/new");
    assert.equal((await person.post("/twice")).status, 200);
    assert.deepEqual(JSON.parse((await person.get("/session")).body), [null, "2"]);
  });

  statement("a new token at each call, against BREACH; all are valid for the session", async () => {
    const person = visitor(application);
    const tokens = JSON.parse((await person.get("/tokens")).body) as readonly string[];
    assert.equal(new Set(tokens).size, 2);
    for (const csrf of tokens) assert.equal((await person.post("/notes", { csrf, title: "Milk" })).status, 303);
  });

  statement("429 with `Retry-After`", async () => {
    await ask("/api/limited");
    const response = await ask("/api/limited");
    assert.deepEqual([response.status, response.headers.has("retry-after")], [429, true]);
  });

  statement(
    ["50, 0 and `desc`; a limit above 1,000 counts as 1,000", "the last page of 100 items by 50 has offset 50"],
    () => {
      assert.deepEqual(Web.Query.withDefaults({}), { limit: 50, offset: 0, sort: "desc" });
      assert.equal(Web.Query.ofRequest({ query: new URLSearchParams("limit=5000") }).limit, 1000);
      assert.equal(Web.Query.lastPage({}, 100)?.offset, 50);
    },
  );

  statement("the limit of 4 kB, 4,096 bytes, includes name and signature", async () => {
    const sizes = await Promise.all(
      [2900, 4000].map(async (length) => {
        const { fetch } = Web.Http.service({
          router: Web.get("/", () => Web.Session.set([["a", "x".repeat(length)]], Web.Response.empty()), {
            middlewares: [Web.Middleware.session()],
          }),
        });
        using _ = capturedLog();
        return (await fetch(new Request("http://localhost/"))).status;
      }),
    );
    assert.deepEqual(sizes, [204, 500]);
  });

  statement("the uuid is `id`, as in every model; the password hash is no property", async () => {
    const user = await users.createUser({ email: "ada@example.com", password: "a meadow of cats" });
    assert.match(user.id, /^[0-9a-f]{8}-/);
    assert.deepEqual(
      Object.keys(user).filter((name) => /password|uuid/.test(name)),
      [],
    );
  });

  statement(
    [
      "the same default, 10",
      "the same defaults, `public` and `/assets`",
      "required in production only",
      "the default is `info`, and `warning` in tests",
    ],
    async () => {
      const app = App.create({ services: [sqlite({ url: ":memory:" }), smtp(), Web.Http.service({ router: site })] });
      const describeIn = async (environment: string): Promise<ReadonlyMap<string, Described>> => {
        Configuration.store([["FRAMEWORK_ENV", environment]]);
        const { stdout } = await runCommand(app, "config", "--json");
        return new Map((JSON.parse(stdout) as readonly Described[]).map((field) => [field.key, field]));
      };
      const production = await describeIn("production");
      const development = await describeIn("development");
      const inTests = await describeIn("test");
      const defaultOf = (key: string): unknown => production.get(key)?.default;
      assert.deepEqual(["DATABASE_POOL_SIZE", "PUBLIC_DIR", "PUBLIC_URI_PREFIX"].map(defaultOf), [
        "10",
        "public",
        "/assets",
      ]);
      assert.deepEqual([defaultOf("LOG_LEVEL"), inTests.get("LOG_LEVEL")?.default], ["info", "warning"]);
      const required = [production, development, inTests].map((fields) => fields.get("SMTP_HOST")?.isRequired);
      assert.deepEqual(required, [true, false, false]);
    },
  );

  statement("site router: id, error, content length, etag, static file, flash, CSRF, sessions", () => {
    const named = ["id", "error", "contentLength", "etag", "staticFile", "flash", "csrf", "session"];
    assert.deepEqual(new Set(Web.Middleware.site().map(({ name }) => name)), new Set(named));
  });

  statement("api router: id, error", () => {
    assert.deepEqual(
      Web.Middleware.api().map(({ name }) => name),
      ["id", "error", "json"],
    );
  });

  statement("the command comes with the user service", async () => {
    const { stdout } = await runCommand(application, "help");
    const commands = "config gen.html gen.json gen.model gen.view migrate random routes server user.admin".split(" ");
    assert.deepEqual(
      commands.filter((name) => !new RegExp(`^ *${name}\\b`, "m").test(stdout)),
      [],
    );
    assert.ok(users.commands.some(({ name }) => name === "user.admin"));
  });

  statement("eight more, indexes, references and optional fields", () => {
    const added = fieldTypes.filter((type) => !["int", "bool", "string", "datetime"].includes(type));
    assert.equal(added.length, 8);
  });

  statement(
    [
      "a type-only import gives `entity.ts` the type of a row",
      "the argument `<database>` is optional",
      "also `version`, the number of the last change; `id` is a UUID of version 4",
    ],
    async () => {
      using project = testProject();
      const { code, stderr } = await project.run("gen.model", "note", "title:string", "--wire");
      assert.equal(code, 0, stderr);
      const files = Object.keys(project.files()).filter((path) => path.startsWith("app/domain/note/"));
      assert.deepEqual(
        files,
        ["entity", "note", "repository"].map((name) => `app/domain/note/${name}.ts`),
      );
      assert.deepEqual(
        project
          .read("app/domain/note/entity.ts")
          .match(/^import .*$/gm)
          ?.slice(1),
        ['import type { Table } from "limmat/table";', 'import type { notes } from "./repository.ts";'],
      );
      assert.match(project.read("app/domain/note/repository.ts"), /timestamps: true,\n {2}version: true,/);
      assert.doesNotMatch(project.read("app/domain/note/repository.ts"), /uuid7/);
      assert.match(project.read("database/migration/notes.ts"), /version/);
    },
  );
});

interface Problem {
  readonly code: string;
}

interface Described {
  readonly key: string;
  readonly default: string | null;
  readonly isRequired: boolean;
}
