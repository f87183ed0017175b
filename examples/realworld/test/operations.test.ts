// All operations of the published document, with their success and error responses.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Random } from "limmat";
import { router } from "../routes/routes.ts";
import { token, user } from "../service/service.ts";
import { apiRequest, guest, newUser, password, type ApiClient } from "./api.ts";
import { assertShape, shapes } from "./shapes.ts";

interface Operation {
  readonly method: string;
  /** Path as in the document, but with `:name` for `{name}`. */
  readonly path: string;
  /** Path with the values of these tests. */
  readonly example: string;
  readonly input?: unknown;
  readonly status: number;
  readonly shape: keyof typeof shapes;
  readonly token: "required" | "optional" | "none";
}

const credentials = { email: "ada@example.com", password };
const article = { title: "A new one", description: "Short", body: "Long", tagList: ["new"] };
const follow = { path: "/profiles/:username/follow", example: "/profiles/bob/follow" };
const favorite = { path: "/articles/:slug/favorite", example: "/articles/hello/favorite" };
const comments = { path: "/articles/:slug/comments", example: "/articles/hello/comments" };
const oneArticle = { path: "/articles/:slug", example: "/articles/hello" };
const samePath = (path: string): Pick<Operation, "path" | "example"> => ({ path, example: path });
const [required, optional, none] = [{ token: "required" }, { token: "optional" }, { token: "none" }] as const;
const userResult = { shape: "User", status: 200 } as const;
const profileResult = { shape: "Profile", status: 200 } as const;
const articleResult = { shape: "SingleArticle", status: 200 } as const;
const emptyResult = { shape: "Nothing", status: 204 } as const;

const operations: readonly Operation[] = [
  { method: "POST", ...samePath("/users/login"), input: { user: credentials }, ...userResult, ...none },
  {
    method: "POST",
    ...samePath("/users"),
    input: { user: { username: "eve", email: "eve@example.com", password } },
    ...userResult,
    status: 201,
    ...none,
  },
  { method: "GET", ...samePath("/user"), ...userResult, ...required },
  { method: "PUT", ...samePath("/user"), input: { user: { bio: "Counts" } }, ...userResult, ...required },
  { method: "GET", path: "/profiles/:username", example: "/profiles/bob", ...profileResult, ...optional },
  { method: "POST", ...follow, ...profileResult, ...required },
  { method: "DELETE", ...follow, ...profileResult, ...required },
  { method: "GET", ...samePath("/articles/feed"), status: 200, shape: "MultipleArticles", ...required },
  { method: "GET", ...samePath("/articles"), status: 200, shape: "MultipleArticles", ...optional },
  { method: "POST", ...samePath("/articles"), input: { article }, ...articleResult, status: 201, ...required },
  { method: "GET", ...oneArticle, ...articleResult, ...optional },
  { method: "PUT", ...oneArticle, input: { article: { body: "Longer" } }, ...articleResult, ...required },
  { method: "DELETE", ...oneArticle, ...emptyResult, ...required },
  { method: "GET", ...comments, status: 200, shape: "MultipleComments", ...optional },
  {
    method: "POST",
    ...comments,
    input: { comment: { body: "!" } },
    status: 200,
    shape: "SingleComment",
    ...required,
  },
  {
    method: "DELETE",
    path: "/articles/:slug/comments/:id",
    example: "/articles/hello/comments/COMMENT",
    ...emptyResult,
    ...required,
  },
  { method: "POST", ...favorite, ...articleResult, ...required },
  { method: "DELETE", ...favorite, ...articleResult, ...required },
  { method: "GET", ...samePath("/tags"), status: 200, shape: "Tags", ...none },
];

let ada: ApiClient;
let comment: string;

beforeEach(async () => {
  ada = await newUser("ada");
  const bob = await newUser("bob");
  await ada.post("/profiles/bob/follow");
  await bob.publish("Of Bob", ["bob"]);
  const slug = await ada.publish("Hello", ["greeting", "short"]);
  const { body } = await ada.post(`/articles/${slug}/comments`, { comment: { body: "First" } });
  comment = String(body.comment.id);
});

const examplePath = (operation: Operation): string => operation.example.replace("COMMENT", comment);

test("the routes match the published document", () => {
  const documented = operations.map(({ method, path }) => `${method} /api${path}`);
  const routed = router.routes.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  assert.deepEqual(routed.sort(), [...documented, "GET /", "GET /api/openapi.json"].sort());
});

for (const operation of operations) {
  const { method, path, input, status, shape, token: authentication } = operation;

  describe(`${method} ${path}`, () => {
    test(`responds with ${status} and ${shape}`, async () => {
      const response = await (authentication === "none" ? guest : ada).request(method, examplePath(operation), input);
      assert.equal(response.status, status);
      assertShape(response.body, shapes[shape]);
    });

    if (authentication !== "none") {
      test("refuses an invalid token with 401 and an empty body", async () => {
        const { id } = await user.findByEmail("ada@example.com");
        const valid = ada.authorization?.slice("Token ".length) ?? "";
        const invalidTokens = [
          "Token",
          "Token ",
          valid,
          `Bearer ${valid}`,
          `Token ${valid.slice(0, -2)}`,
          `Token ${valid}, Token ${valid}`,
          `Token ${valid.split(".").with(2, "").join(".")}`,
          `Token ${await token.create({}, { purpose: "other", owner: id })}`,
          `Token ${await token.create({}, { purpose: "api", owner: Random.uuid() })}`,
        ];
        for (const authorization of invalidTokens) {
          const response = await apiRequest(method, examplePath(operation), input, authorization);
          assert.equal(response.status, 401, authorization);
          assert.match(response.headers.get("www-authenticate") ?? "", /^Token/);
          assertShape(response.body, shapes.Nothing);
        }
      });
    }

    test(
      authentication === "required"
        ? "refuses a request without a token with 401"
        : "accepts a request without a token",
      async () => {
        const response = await guest.request(method, examplePath(operation), input);
        assert.equal(response.status, authentication === "required" ? 401 : status);
        assertShape(response.body, authentication === "required" ? shapes.Nothing : shapes[shape]);
      },
    );

    if (input !== undefined) {
      test("refuses missing fields and fields of the wrong type with 422", async () => {
        const [name = "", fields = {}] = Object.entries(input as Readonly<Record<string, object>>)[0] ?? [];
        const wrongTypes = Object.fromEntries(Object.keys(fields).map((field) => [field, { not: "a text" }]));
        const empty = { [name]: {} };
        const bodies = [
          ...(path === oneArticle.path ? [] : [empty]),
          {},
          null,
          [],
          1,
          { [name]: null },
          { [name]: [] },
          { [name]: "x" },
          { [name]: wrongTypes },
        ];
        for (const body of bodies) {
          const response = await ada.request(method, examplePath(operation), body);
          assert.equal(response.status, 422, JSON.stringify(body));
          assertShape(response.body, shapes.GenericError);
        }
      });
    }

    if (shape === "MultipleArticles") {
      test("refuses an invalid page with 422", async () => {
        for (const query of ["limit=0", "limit=-1", "limit=x", "offset=-1", "offset=1.5", "limit=1&limit=2"]) {
          const response = await ada.get(`${path}?${query}`);
          assert.equal(response.status, 422, query);
          assertShape(response.body, shapes.GenericError);
        }
      });
    }

    if (path.includes(":")) {
      test("responds with 404 for a missing entry", async () => {
        const missingPath = path
          .replace(":username", "nobody")
          .replace(":slug", path.endsWith(":id") ? "hello" : "nothing")
          .replace(":id", "999999");
        const response = await ada.request(method, missingPath, input);
        assert.equal(response.status, 404);
        assertShape(response.body, shapes.GenericError);
      });
    }
  });
}

test("an unknown address and a wrong password both get 401", async () => {
  for (const wrong of [
    { email: "nobody@example.com", password },
    { email: "ada@example.com", password: "another" },
  ]) {
    const response = await guest.post("/users/login", { user: wrong });
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("www-authenticate"), "Token");
    assertShape(response.body, shapes.Nothing);
  }
});

test("invalid JSON, large bodies and unknown paths get errors of the same shape", async () => {
  const send = (type: string, body: string): ReturnType<typeof ada.request> =>
    apiRequest("POST", "/users", body, undefined, { "content-type": type });
  for (const [response, status] of [
    [await send("application/json", "{"), 400],
    [await send("text/plain", "{}"), 415],
    [await send("application/json", `"${"x".repeat(1_048_576)}"`), 413],
    [await guest.get("/nowhere"), 404],
    [await guest.request("PATCH", "/user"), 405],
  ] as const) {
    assert.equal(response.status, status);
    assertShape(response.body, shapes.GenericError);
  }
});
