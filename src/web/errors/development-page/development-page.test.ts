import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { Configuration, ConfigurationInternals } from "../../../config/index.ts";
import { isolate, serve } from "../../application/fetch.test.ts";
import { type RequestStatements, requestStatementsChannelName } from "../../../core/index.ts";
import { Request } from "../../../http/message/request.ts";
import type { Handler, Middleware } from "../../../http/router/handler.ts";
import { errors } from "../../errors.ts";
import { service } from "../../application/service.ts";
import { choose, get } from "../../../http/router/route.ts";
import { isApplicationFrame, parseStack, sourceExcerpt } from "../../../core/stack.ts";
import { notOnBun } from "../../../http/server/live.test.ts";

isolate([["FRAMEWORK_ENV", "development"]]);

function loadTodo(): never {
  throw new Error('no <todo> with the id "7"', { cause: new TypeError("the row is missing") }); // the line that throws
}
const broken: Handler = () => loadTodo();

async function pageOf(handler: Handler, path = "/", init?: RequestInit): Promise<string> {
  const response = await serve([], handler)(path, init);
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  return await response.text();
}

describe("the page of an error in development", () => {
  test("shows message, source, stack and causes, escaped", async () => {
    const page = await pageOf(broken);
    assert.match(page, /no &lt;todo&gt; with the id/);
    assert.match(page, /the line that throws/);
    assert.match(page, /src\/web\/errors\/development-page\/development-page\.test\.ts:\d+:\d+/);
    assert.match(page, /loadTodo/);
    assert.match(page, /Caused by[^]*TypeError[^]*the row is missing/);
    assert.doesNotMatch(page, /<todo>/);
  });

  test("shows the lines after the first one below the heading", async () => {
    const page = await pageOf(() => {
      throw new Error("The database refused a statement.\n  select <id>\n  from nowhere");
    });
    assert.match(page, /<h1>The database refused a statement\.<\/h1>/);
    assert.match(page, /<pre class="card"> {2}select &lt;id&gt;\n {2}from nowhere<\/pre>/);
  });

  test("folds the frames of packages and Node, and shows the route, described values and statements", async () => {
    const root = import.meta.dirname;
    Configuration.store([["ROOT_PATH", root]]);
    const userKey = Request.key<{ readonly email: string }>("user", async ({ email }) => email);
    const secretKey = Request.key<string>("secret");
    const answer = (message: unknown): void => {
      const { requestId, statements } = message as RequestStatements;
      assert.match(requestId, /\w/);
      statements.push({ text: "select <id> from todos", count: 2, at: `find (file://${root}/todo.ts:3:7)` });
    };
    subscribe(requestStatementsChannelName, answer);
    // Not as a literal: the page shows the source of this test.
    const hidden = ["hid", "den"].join("");
    const setsUser: Middleware = (next) => (request) => {
      request.set(userKey, { email: "ada@example.com" });
      request.set(secretKey, hidden);
      return next(request);
    };
    const { fetch } = service({ router: choose([get("/todos/:id", broken, { middlewares: [setsUser] })]) });
    const page = await (await fetch(new globalThis.Request("http://localhost/todos/7"))).text();
    unsubscribe(requestStatementsChannelName, answer);
    assert.match(page, /<summary>loadTodo[^]*<summary class="meta">\d+ frames of packages and Node<\/summary>/);
    assert.match(page, /<dt>route<\/dt>\s*<dd>GET \/todos\/:id<\/dd>\s*<dt>user<\/dt>\s*<dd>ada@example\.com<\/dd>/);
    assert.match(page, /Statements[^]*<dt>todo\.ts:3:7 \(2 times\)<\/dt>\s*<dd>select &lt;id&gt; from todos<\/dd>/);
    assert.ok(!page.includes(`>${hidden}`));
  });

  test("names a path without a route, in development only", async () => {
    const { fetch } = service({ router: choose([get("/todos", broken)]) });
    for (const [environment, isShown] of [
      ["development", true],
      ["test", false],
    ] as const) {
      Configuration.store([["FRAMEWORK_ENV", environment]]);
      const response = await fetch(new globalThis.Request("http://localhost/nowhere"));
      assert.equal(response.status, 404);
      assert.equal(/No route matches GET \/nowhere<\/h1>/.test(await response.text()), isShown, environment);
    }
  });

  test("shows the request with its secrets redacted", async () => {
    // Not as a literal: the page shows the source of this test.
    const secret = ["s3", "cr3t"].join("");
    const page = await pageOf(broken, `/todos?sort=asc&access_token=${secret}`, {
      headers: {
        authorization: `Bearer ${secret}`,
        cookie: `_session=${secret}`,
        "x-csrf-token": secret,
        "x-api-key": secret,
        accept: "text/html",
      },
    });
    assert.ok(!page.includes(secret));
    assert.match(page, /_session=•••/);
    assert.match(page, /<dt>sort<\/dt>\s*<dd>asc<\/dd>/);
  });

  test("is a page for any thrown value", async () => {
    for (const thrown of [undefined, null, "a text", 7, {}, Object.create(null), new Error(""), Symbol("s")]) {
      const response = await serve([], () => {
        throw thrown;
      })("/");
      assert.equal(response.status, 500);
      const page = await response.text();
      assert.match(page, /<h1>/);
      assert.equal(page.includes("Throw an Error: throw new Error(…)."), !(thrown instanceof Error));
    }
  });

  test("is kept if reading the thrown value throws", async () => {
    const fail = (): never => {
      throw new Error("hostile");
    };
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostileValues: readonly unknown[] = [
      ...["message", "name", "stack", "cause"].map((name) =>
        Object.defineProperty(new Error("x"), name, { get: fail }),
      ),
      ...["message", "name", "stack"].map((name) => Object.assign(new Error("x"), { [name]: Symbol("s") })),
      new Proxy(new Error("x"), { get: fail, getPrototypeOf: fail }),
      new Error("x", { cause: revoked }),
      { [inspect.custom]: fail, toString: fail },
      revoked,
    ];
    for (const hostile of hostileValues) {
      assert.match(
        await pageOf(() => Promise.reject(hostile)),
        /FRAMEWORK_ENV is development/,
        `value ${hostileValues.indexOf(hostile)}`,
      );
    }
  });

  test("leaves out an attached value whose description throws", async () => {
    const throwing = Request.key<string>("throwing", () => {
      throw new Error("hostile");
    });
    const rejecting = Request.key<string>("rejecting", () => Promise.reject(new Error("hostile")));
    const described = Request.key<string>("described", async (value) => value);
    const page = await pageOf((request) => {
      for (const key of [throwing, rejecting, described]) request.set(key, "shown");
      return loadTodo();
    });
    assert.match(page, /<dt>described<\/dt>\s*<dd>shown<\/dd>/);
    assert.doesNotMatch(page, /<dt>(?:throwing|rejecting)/);
  });

  test("survives circular causes and malformed stacks", async () => {
    const circle = new Error("circle");
    circle.cause = circle;
    circle.stack = "nonsense\n    at file:///%zz:1:1\n    at x (node:internal/a:1:2)";
    assert.match(await pageOf(() => Promise.reject(circle)), /circle/);
  });

  const ownSource = notOnBun("the stack leads here there, and the page shows these very lines");
  test("loads no resources and runs no scripts", ownSource, async () => {
    const response = await serve([], broken)("/");
    assert.match(
      response.headers.get("content-security-policy") ?? "",
      /^default-src 'none'; style-src 'sha256-[^']+';/,
    );
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.doesNotMatch(await response.text(), /<script|src=|href=|url\(/);
  });

  test("is for server errors only: a client's fault has the public page", async () => {
    const response = await serve([], () => {
      throw errors.E_CSRF();
    })("/");
    assert.equal(response.status, 403);
    assert.doesNotMatch(await response.text(), /Stack/);
  });

  test("is a problem document with the message and the stack for clients that prefer JSON", async () => {
    const response = await serve([], broken)("/", { headers: { accept: "application/json" } });
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    const problem = JSON.parse(await response.text()) as { detail: string; stack: readonly string[] };
    assert.equal(problem.detail, 'no <todo> with the id "7"');
    assert.match(problem.stack[0] ?? "", /^loadTodo .*:\d+:\d+$/);
  });

  test("as a problem document lists the lines of the project only, unless there are none", async () => {
    Configuration.store([["ROOT_PATH", import.meta.dirname]]);
    const stackOf = async (thrown: Error): Promise<readonly string[]> => {
      const fail = (): never => {
        throw thrown;
      };
      const response = await serve([], fail)("/", { headers: { accept: "application/json" } });
      return ((await response.json()) as { readonly stack: readonly string[] }).stack;
    };
    const project = "    at load (" + import.meta.filename + ":1:2)";
    const stack = ["Error: x", "    at send (/srv/node_modules/pkg/a.js:3:4)", project].join("\n");
    assert.deepEqual(await stackOf(Object.assign(new Error("x"), { stack })), [
      `load ${basename(import.meta.filename)}:1:2`,
    ]);
    const foreign = stack.replace(project, "");
    assert.deepEqual(await stackOf(Object.assign(new Error("x"), { stack: foreign })), [
      "send /srv/node_modules/pkg/a.js:3:4",
    ]);
  });
});

describe("the page of an error elsewhere", () => {
  for (const environment of ["test", "production", undefined]) {
    test(`shows nothing when the environment is ${environment ?? "not set"}`, async () => {
      const former = process.env["FRAMEWORK_ENV"];
      delete process.env["FRAMEWORK_ENV"];
      ConfigurationInternals.reset();
      if (environment !== undefined) Configuration.store([["FRAMEWORK_ENV", environment]]);
      try {
        const page = await pageOf(broken);
        assert.doesNotMatch(page, /todo|Stack|src\/web/);
      } finally {
        if (former !== undefined) process.env["FRAMEWORK_ENV"] = former;
      }
    });
  }
});

describe("a stack", () => {
  test("is parsed frame by frame", () => {
    const stack = [
      "Error: at home (file:///x.ts:1:2)",
      "    at own (file:///app/a%20b.ts:3:4)",
      "    at async Todo.find (file:///app/node_modules/x/y.js:5:6)",
      "    at file:///app/c.ts:7:8",
      "    at async file:///app/e.ts:11:12",
      "    at new Todo (/app/d.ts:9:10)",
      "    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)",
      "    at Array.map (<anonymous>)",
    ].join("\n");
    const frames = parseStack(stack);
    assert.deepEqual(
      frames.map(({ name, file, line, column }) => `${name} ${file} ${line} ${column}`),
      [
        "own /app/a b.ts 3 4",
        "Todo.find /app/node_modules/x/y.js 5 6",
        " /app/c.ts 7 8",
        " /app/e.ts 11 12",
        "new Todo /app/d.ts 9 10",
        "process.processTicksAndRejections node:internal/process/task_queues 104 5",
      ],
    );
    assert.deepEqual(
      frames.map((frame) => isApplicationFrame(frame, "/app")),
      [true, false, true, true, true, false],
    );
  });

  test("shows no source of a file that cannot be read", () => {
    assert.deepEqual(sourceExcerpt({ file: "/nowhere/x.ts", line: 1 }, 3), []);
    assert.deepEqual(sourceExcerpt({ file: "/", line: 1 }, 3), []);
  });
});
