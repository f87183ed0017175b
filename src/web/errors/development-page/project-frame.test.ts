import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { developmentPortVariable } from "../../../core/declaration.ts";
import type { Response } from "../../../http/message/index.ts";
import { choose, get, type Handler, type Middleware, type Router } from "../../../http/router/index.ts";
import { notOnBun } from "../../../http/server/live.test.ts";
import { isolate } from "../../application/fetch.test.ts";
import { service } from "../../application/service.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "limmat-project-frame-")));
after(() => rmSync(root, { recursive: true, force: true }));
isolate([
  ["FRAMEWORK_ENV", "development"],
  ["ROOT_PATH", root],
]);

const source = `
export const passesOn = (handler) => async (request) => {
  const response = await handler(request);
  return response;
};
export const isTyped = (next: (request: object) => Promise<object>): unknown => async (request: object) => {
  return await next(
    request,
  );
};
export const awaits = (wait) => (handler: Handler): Handler => async (request) =>
  await wait(handler(request));
export function isFunction(inner: Handler) {
  const limit = 1;
  return async (request) => {
    if (limit === 1) return await inner(request);
  };
}
export const renames = (rename) => (handler) => async (request) => {
  const response = await handler(request);
  return await rename(response, 1); // renames
};
export const misspells = (handler) => (request) => handler.missing(request); // misspells
export const looksUp = (table) => async () => {
  const text = await table.find("7"); // looks up
  return text;
};
export const throwsIt = async () => {
  throw new Error("the project failed"); // throws
};
export const declares = (get, show) => get("/todos/:id", show); // declares
`;
writeFileSync(join(root, "project.ts"), source);
const project = (await import(pathToFileURL(join(root, "project.ts")).href)) as Readonly<
  Record<string, (...values: readonly unknown[]) => never>
>;
const { passesOn, isTyped, awaits, isFunction, renames, misspells, looksUp, throwsIt, declares } = project;

/** Fails as a function of the framework: this file is not below the root. */
const fail = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error("the framework failed");
};

interface Shown {
  /** Text of the page above the stack. */
  readonly text: string;
  /** Line of source that the page shows there. */
  readonly line: string | undefined;
}

async function shownBy(router: Router): Promise<Shown> {
  const { fetch } = service({ router });
  const response = await fetch(new globalThis.Request("http://localhost/todos/7"));
  assert.equal(response.status, 500);
  const [head = ""] = (await response.text()).split(/<h2>(?:Stack|Request)<\/h2>/, 1);
  const line = /<li aria-current="true">\s*<span>\d+<\/span><code>([^<]*)</.exec(head)?.[1]?.trim();
  const text = head
    .replace(/^[^]*<main/, "<main")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ");
  return { text, line };
}

const routerOf = (handler: Handler, middlewares: readonly (Middleware | undefined)[] = []): Router =>
  choose([get("/todos/:id", handler)], { middlewares: middlewares as readonly Middleware[] });

const wait = async (response: Promise<Response>): Promise<Response> => await response;

describe("the page of an error in development shows first", notOnBun("its stacks have other positions"), () => {
  const passing = [passesOn, isTyped, isFunction];

  test("the line of the project that threw", async () => {
    assert.match((await shownBy(routerOf(throwsIt as Handler, passing))).line ?? "", /\/\/ throws$/);
  });

  test("the line that called the framework, if the framework threw", async () => {
    const handler = looksUp?.({ find: fail }) as unknown as Handler;
    assert.match((await shownBy(routerOf(handler, passing))).line ?? "", /\/\/ looks up$/);
  });

  test("a middleware that failed itself", async () => {
    for (const [middleware, line] of [
      [misspells, /\/\/ misspells$/],
      [renames?.(fail), /\/\/ renames$/],
    ] as const) {
      const handler: Handler = () => new globalThis.Response("x");
      assert.match((await shownBy(routerOf(handler, [passesOn, middleware]))).line ?? "", line);
    }
  });

  for (const [name, middlewares] of [
    ["one", [passesOn]],
    ["one with types", [isTyped]],
    ["one that passes the response to a function", [awaits?.(wait)]],
    ["a function", [isFunction]],
    ["several", passing],
  ] as const) {
    test(`the route instead of a middleware that passed the error on: ${name}`, async () => {
      const { text, line } = await shownBy(routerOf(fail, middlewares));
      assert.equal(line, undefined);
      assert.match(
        text,
        /The stack has no line of the project, only middlewares that passed the error on\. The request ran the handler fail of the route GET \/todos\/:id\./,
      );
    });
  }

  test("the route and the line that declares it, if no line of the project is in the stack", async () => {
    process.env[developmentPortVariable] = "1";
    try {
      const { text, line } = await shownBy(declares?.(get, () => fail()) as unknown as Router);
      assert.match(line ?? "", /\/\/ declares$/);
      assert.match(
        text,
        /The stack has no line of the project\. The request ran the route GET \/todos\/:id, which this line declares\. project\.ts:\d+:\d+/,
      );
      assert.doesNotMatch(text, /project-frame\.test/);
    } finally {
      delete process.env[developmentPortVariable];
    }
  });

  test("a cause with a line of the project, if the error has none", async () => {
    const handler: Handler = async () => {
      const cause = await (throwsIt as unknown as () => Promise<never>)().catch((thrown: unknown) => thrown);
      throw new Error("wrapped", { cause });
    };
    const { text, line } = await shownBy(routerOf(handler));
    assert.doesNotMatch(text, /no line of the project/);
    assert.equal(line, undefined);
  });
});
