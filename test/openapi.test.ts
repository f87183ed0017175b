// The OpenAPI document of the RealWorld example is valid, and matches the responses of the API.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { join } from "node:path";
import { type App, Cleaner, Configuration, type Migration, type Web } from "limmat";
import { accepts } from "../src/schema/json-schema-checker.test.ts";
import {
  assertAnswer,
  assertDocument,
  bodyOf,
  type Document,
  type Operation,
  operationsOf,
} from "../src/web/openapi/document-checker.test.ts";
import { root } from "./sources.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

// Imported by path, so that the type check treats the example as a separate project.
const load = (path: string): Promise<unknown> => import(join(root, "examples/realworld", path));
const { app } = (await load("run/run.ts")) as { readonly app: App.Application };
const { router } = (await load("routes/routes.ts")) as { readonly router: Web.Router };
const { migration } = (await load("service/service.ts")) as { readonly migration: Migration.MigrationService };

let document: Document;

before(async () => {
  await app.start({ server: false });
  await migration.runAll();
  document = (await (await app.request("/api/openapi.json")).json()) as Document;
});
beforeEach(() => Cleaner.cleanAll());
after(() => app.stop());

const password = "a meadow of cats";
const ada = { username: "ada", email: "ada@example.com", password };
const article = { title: "Hello", description: "Short", body: "Long", tagList: ["new"] };

/** Requests of each operation: path, body and expected status. */
const requests: readonly (readonly [operation: string, path: string, sent: unknown, status: number])[] = [
  ["POST /api/users", "/users", { user: { ...ada, username: "eve", email: "eve@example.com" } }, 201],
  ["POST /api/users", "/users", { user: { username: "eve" } }, 422],
  ["POST /api/users", "/users", "{", 400],
  ["POST /api/users/login", "/users/login", { user: { email: ada.email, password } }, 200],
  ["POST /api/users/login", "/users/login", { user: { email: ada.email, password: "another" } }, 401],
  ["GET /api/user", "/user", undefined, 200],
  ["PUT /api/user", "/user", { user: { bio: "Counts" } }, 200],
  ["PUT /api/user", "/user", { user: { bio: 1 } }, 422],
  ["GET /api/profiles/{username}", "/profiles/bob", undefined, 200],
  ["GET /api/profiles/{username}", "/profiles/nobody", undefined, 404],
  ["POST /api/profiles/{username}/follow", "/profiles/bob/follow", undefined, 200],
  ["DELETE /api/profiles/{username}/follow", "/profiles/bob/follow", undefined, 200],
  ["GET /api/articles", "/articles?tag=new&limit=1", undefined, 200],
  ["GET /api/articles", "/articles?limit=0", undefined, 422],
  ["GET /api/articles/feed", "/articles/feed", undefined, 200],
  ["POST /api/articles", "/articles", { article: { ...article, title: "Another" } }, 201],
  ["POST /api/articles", "/articles", { article: { ...article, tagList: [""] } }, 422],
  ["GET /api/articles/{slug}", "/articles/hello", undefined, 200],
  ["GET /api/articles/{slug}", "/articles/nothing", undefined, 404],
  ["PUT /api/articles/{slug}", "/articles/hello", { article: { body: "Longer" } }, 200],
  ["PUT /api/articles/{slug}", "/articles/of-bob", { article: { body: "Longer" } }, 403],
  ["DELETE /api/articles/{slug}", "/articles/hello", undefined, 204],
  ["DELETE /api/articles/{slug}", "/articles/of-bob", undefined, 403],
  ["POST /api/articles/{slug}/favorite", "/articles/hello/favorite", undefined, 200],
  ["DELETE /api/articles/{slug}/favorite", "/articles/hello/favorite", undefined, 200],
  ["GET /api/articles/{slug}/comments", "/articles/hello/comments", undefined, 200],
  ["POST /api/articles/{slug}/comments", "/articles/hello/comments", { comment: { body: "First" } }, 200],
  ["POST /api/articles/{slug}/comments", "/articles/hello/comments", { comment: {} }, 422],
  ["DELETE /api/articles/{slug}/comments/{id}", "/articles/hello/comments/COMMENT", undefined, 204],
  ["DELETE /api/articles/{slug}/comments/{id}", "/articles/hello/comments/0", undefined, 404],
  ["GET /api/tags", "/tags", undefined, 200],
];

describe("the document of the RealWorld example", () => {
  let token: string;
  let comment: string;

  const ask = (method: string, path: string, sent?: unknown, sender: string = token): Promise<Response> =>
    app.request(`/api${path.replace("COMMENT", comment)}`, {
      method,
      headers: {
        ...(sender === "" ? {} : { authorization: `Token ${sender}` }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(sent === undefined ? {} : { body: typeof sent === "string" ? sent : JSON.stringify(sent) }),
    });
  const member = async (user: object): Promise<string> => {
    const response = await ask("POST", "/users", { user }, "");
    return ((await response.json()) as { readonly user: { readonly token: string } }).user.token;
  };

  beforeEach(async () => {
    token = await member(ada);
    const bob = await member({ ...ada, username: "bob", email: "bob@example.com" });
    await ask("POST", "/profiles/bob/follow");
    await ask("POST", "/articles", { article });
    await ask("POST", "/articles", { article: { ...article, title: "Of Bob" } }, bob);
    const added = await ask("POST", "/articles/hello/comments", { comment: { body: "First" } });
    comment = String(((await added.json()) as { readonly comment: { readonly id: number } }).comment.id);
  });

  test("is valid, and has every operation of the API and nothing else", () => {
    assertDocument(document);
    const routed = router.routes
      .filter(({ path }) => path !== "/" && path !== "/api/openapi.json")
      .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`));
    assert.deepEqual(
      operationsOf(document)
        .map(([name]) => name)
        .sort(),
      routed.sort(),
    );
    assert.deepEqual([...new Set(requests.map(([name]) => name))].sort(), routed.sort());
    for (const [name, { operationId, tags }] of operationsOf(document)) assert.ok(operationId && tags, name);
  });

  test("names the operations that require a token", () => {
    const security = Object.fromEntries(operationsOf(document).map(([name, operation]) => [name, operation.security]));
    assert.deepEqual(security["GET /api/user"], [{ token: [] }]);
    assert.deepEqual(security["GET /api/articles"], [{}, { token: [] }]);
    assert.deepEqual(security["POST /api/users"], []);
  });

  test("matches the errors of guards and of the server, which have the error page of the application", async () => {
    await assertAnswer(document, "GET /api/user", await ask("GET", "/user", undefined, ""));
    const response = await ask("GET", "/tags?a=%");
    const { responses } = new Map(operationsOf(document)).get("GET /api/tags") as Operation;
    const [type, content] = Object.entries(responses["default"]?.content ?? {})[0] ?? [];
    assert.deepEqual([response.status, response.headers.get("content-type")], [400, type]);
    assert.ok(accepts(content?.schema, await response.json(), document as never));
    const limited = document.paths["/api/users"]?.["post"]?.responses[429];
    assert.deepEqual(limited?.content, responses["default"]?.content);
  });

  for (const [name, path, sent, status] of requests) {
    test(`matches ${name} with status ${status} for ${path}`, async () => {
      const response = await ask(name.split(" ")[0] ?? "", path, sent);
      assert.equal(response.status, status);
      if (status < 300 && sent !== undefined) assert.ok(accepts(bodyOf(document, name), sent, document as never));
      if (status === 422 && sent !== undefined) {
        assert.ok(
          !accepts(bodyOf(document, name), sent, document as never),
          "the schema accepts a body that the API refuses",
        );
      }
      await assertAnswer(document, name, response);
    });
  }
});
