// Every operation of the published document: its success, and each refusal that the document lists.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Random } from "limmat";
import { router } from "../routes/routes.ts";
import { token, user } from "../service/service.ts";
import { ask, guest, member, password, type Person } from "./conduit.ts";
import { assertShape, shapes } from "./shapes.ts";

interface Operation {
  readonly method: string;
  /** As the document writes it, but with `:name` for `{name}`. */
  readonly path: string;
  /** The same with what stands there in these tests. */
  readonly example: string;
  readonly sends?: unknown;
  readonly status: number;
  readonly answers: keyof typeof shapes;
  readonly token: "required" | "optional" | "none";
}

const credentials = { email: "ada@example.com", password };
const article = { title: "A new one", description: "Short", body: "Long", tagList: ["new"] };
const follow = { path: "/profiles/:username/follow", example: "/profiles/bob/follow" };
const favorite = { path: "/articles/:slug/favorite", example: "/articles/hello/favorite" };
const comments = { path: "/articles/:slug/comments", example: "/articles/hello/comments" };
const one = { path: "/articles/:slug", example: "/articles/hello" };
const same = (path: string): Pick<Operation, "path" | "example"> => ({ path, example: path });
const [required, optional, none] = [{ token: "required" }, { token: "optional" }, { token: "none" }] as const;
const ofUser = { answers: "User", status: 200 } as const;
const ofProfile = { answers: "Profile", status: 200 } as const;
const ofArticle = { answers: "SingleArticle", status: 200 } as const;
const nothing = { answers: "Nothing", status: 204 } as const;

const operations: readonly Operation[] = [
  { method: "POST", ...same("/users/login"), sends: { user: credentials }, ...ofUser, ...none },
  {
    method: "POST",
    ...same("/users"),
    sends: { user: { username: "eve", email: "eve@example.com", password } },
    ...ofUser,
    status: 201,
    ...none,
  },
  { method: "GET", ...same("/user"), ...ofUser, ...required },
  { method: "PUT", ...same("/user"), sends: { user: { bio: "Counts" } }, ...ofUser, ...required },
  { method: "GET", path: "/profiles/:username", example: "/profiles/bob", ...ofProfile, ...optional },
  { method: "POST", ...follow, ...ofProfile, ...required },
  { method: "DELETE", ...follow, ...ofProfile, ...required },
  { method: "GET", ...same("/articles/feed"), status: 200, answers: "MultipleArticles", ...required },
  { method: "GET", ...same("/articles"), status: 200, answers: "MultipleArticles", ...optional },
  { method: "POST", ...same("/articles"), sends: { article }, ...ofArticle, status: 201, ...required },
  { method: "GET", ...one, ...ofArticle, ...optional },
  { method: "PUT", ...one, sends: { article: { body: "Longer" } }, ...ofArticle, ...required },
  { method: "DELETE", ...one, ...nothing, ...required },
  { method: "GET", ...comments, status: 200, answers: "MultipleComments", ...optional },
  {
    method: "POST",
    ...comments,
    sends: { comment: { body: "!" } },
    status: 200,
    answers: "SingleComment",
    ...required,
  },
  {
    method: "DELETE",
    path: "/articles/:slug/comments/:id",
    example: "/articles/hello/comments/COMMENT",
    ...nothing,
    ...required,
  },
  { method: "POST", ...favorite, ...ofArticle, ...required },
  { method: "DELETE", ...favorite, ...ofArticle, ...required },
  { method: "GET", ...same("/tags"), status: 200, answers: "Tags", ...none },
];

let ada: Person;
let comment: string;

beforeEach(async () => {
  ada = await member("ada");
  const bob = await member("bob");
  await ada.post("/profiles/bob/follow");
  await bob.publish("Of Bob", ["bob"]);
  const slug = await ada.publish("Hello", ["greeting", "short"]);
  const { body } = await ada.post(`/articles/${slug}/comments`, { comment: { body: "First" } });
  comment = String(body.comment.id);
});

const example = (operation: Operation): string => operation.example.replace("COMMENT", comment);

test("the routes are those of the document", () => {
  const documented = operations.map(({ method, path }) => `${method} /api${path}`);
  const routed = router.routes.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  assert.deepEqual(routed.sort(), [...documented, "GET /", "GET /api/openapi.json"].sort());
});

for (const operation of operations) {
  const { method, path, sends, status, answers, token: asked } = operation;

  describe(`${method} ${path}`, () => {
    test(`answers ${status} with ${answers}`, async () => {
      const answer = await (asked === "none" ? guest : ada).request(method, example(operation), sends);
      assert.equal(answer.status, status);
      assertShape(answer.body, shapes[answers]);
    });

    if (asked !== "none") {
      test("refuses a token that is not valid with 401 and nothing else", async () => {
        const { id } = await user.findByEmail("ada@example.com");
        const valid = ada.authorization?.slice("Token ".length) ?? "";
        const bad = [
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
        for (const authorization of bad) {
          const answer = await ask(method, example(operation), sends, authorization);
          assert.equal(answer.status, 401, authorization);
          assert.match(answer.headers.get("www-authenticate") ?? "", /^Token/);
          assertShape(answer.body, shapes.Nothing);
        }
      });
    }

    test(asked === "required" ? "asks for a token with 401" : "needs no token", async () => {
      const answer = await guest.request(method, example(operation), sends);
      assert.equal(answer.status, asked === "required" ? 401 : status);
      assertShape(answer.body, asked === "required" ? shapes.Nothing : shapes[answers]);
    });

    if (sends !== undefined) {
      test("refuses what lacks its fields, or holds others than texts, with 422", async () => {
        const [name = "", fields = {}] = Object.entries(sends as Readonly<Record<string, object>>)[0] ?? [];
        const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, { not: "a text" }]));
        const empty = { [name]: {} };
        const bodies = [
          ...(path === one.path ? [] : [empty]),
          {},
          null,
          [],
          1,
          { [name]: null },
          { [name]: [] },
          { [name]: "x" },
          { [name]: wrong },
        ];
        for (const body of bodies) {
          const answer = await ada.request(method, example(operation), body);
          assert.equal(answer.status, 422, JSON.stringify(body));
          assertShape(answer.body, shapes.GenericError);
        }
      });
    }

    if (answers === "MultipleArticles") {
      test("refuses a page that cannot be with 422", async () => {
        for (const query of ["limit=0", "limit=-1", "limit=x", "offset=-1", "offset=1.5", "limit=1&limit=2"]) {
          const answer = await ada.get(`${path}?${query}`);
          assert.equal(answer.status, 422, query);
          assertShape(answer.body, shapes.GenericError);
        }
      });
    }

    if (path.includes(":")) {
      test("answers 404 for what is not there", async () => {
        const gone = path
          .replace(":username", "nobody")
          .replace(":slug", path.endsWith(":id") ? "hello" : "nothing")
          .replace(":id", "999999");
        const answer = await ada.request(method, gone, sends);
        assert.equal(answer.status, 404);
        assertShape(answer.body, shapes.GenericError);
      });
    }
  });
}

test("wrong credentials are 401, whatever is wrong with them", async () => {
  for (const wrong of [
    { email: "nobody@example.com", password },
    { email: "ada@example.com", password: "another" },
  ]) {
    const answer = await guest.post("/users/login", { user: wrong });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get("www-authenticate"), "Token");
    assertShape(answer.body, shapes.Nothing);
  }
});

test("what is no JSON, too long, or nowhere, is refused in the same form", async () => {
  const send = (type: string, body: string): ReturnType<typeof ada.request> =>
    ask("POST", "/users", body, undefined, { "content-type": type });
  for (const [answer, status] of [
    [await send("application/json", "{"), 400],
    [await send("text/plain", "{}"), 415],
    [await send("application/json", `"${"x".repeat(1_048_576)}"`), 413],
    [await guest.get("/nowhere"), 404],
    [await guest.request("PATCH", "/user"), 405],
  ] as const) {
    assert.equal(answer.status, status);
    assertShape(answer.body, shapes.GenericError);
  }
});
