import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assert as assertProperty, asyncProperty, string } from "fast-check";
import { Schema } from "../../schema/index.ts";
import { isolate } from "../application/fetch.test.ts";
import * as Middleware from "../middleware/index.ts";
import { assertDocument, type Document } from "../openapi/document-checker.test.ts";
import { router as openApi } from "../openapi/openapi.ts";
import { payloads } from "../../../packages/limmat-contracts/src/database/payloads.ts";
import { jsonOfService, type JsonOfServiceOptions } from "./resource.ts";
import type { ServiceOptions } from "./contract.ts";
import { application, idOf } from "./todo-fixture.test.ts";
import { sample } from "../../../test/rounds.ts";

isolate([["CHECK_CSRF", "true"]]);

const labelSchema = Schema.record({ name: Schema.string(), secret: Schema.string({ sensitive: true }) });
const schema = Schema.record({
  title: Schema.string(),
  done: Schema.bool(),
  password: Schema.optional(Schema.string({ sensitive: true })),
});

const issue = {
  id: idOf(1),
  title: "Bug",
  done: false,
  password: "1234",
  internal: "hidden",
  created_at: new Date(0),
  labels: [
    { id: idOf(2), name: "red", secret: "s" },
    { id: idOf(3), name: "blue", secret: "s" },
  ],
  assignee: { id: idOf(4), name: "Ada", password: "hash" } as { id: string; name: string; password: string } | null,
  watchers: undefined as readonly { readonly name: string }[] | undefined,
};
type Issue = typeof issue;

type Options = Partial<JsonOfServiceOptions<Issue, Schema.Infer<typeof schema>, "index" | "show" | "create">>;

function stand(options: Options = {}): {
  readonly get: (
    query: string,
    path?: string,
  ) => Promise<{ status: number; body: Record<string, unknown> & { detail?: string } }>;
  readonly calls: (ServiceOptions | undefined)[];
  readonly ask: ReturnType<typeof application>;
} {
  const calls: (ServiceOptions | undefined)[] = [];
  const service = {
    find: (_: string, serviceOptions?: ServiceOptions) => {
      calls.push(serviceOptions);
      return issue;
    },
    search: (_: unknown, serviceOptions?: ServiceOptions) => {
      calls.push(serviceOptions);
      return [[issue], 1] as const;
    },
    insert: () => ({ ok: true, value: issue }) as const,
  };
  const routes = jsonOfService({
    name: "issues",
    schema,
    service,
    only: ["index", "show", "create"],
    include: { labels: labelSchema, assignee: ({ id, name }) => ({ id, name }), watchers: labelSchema },
    ...options,
  });
  const ask = application([...routes, openApi({ title: "Issues", version: "1" })], Middleware.api());
  const get: ReturnType<typeof stand>["get"] = async (query, path = `/issues/${idOf(1)}`) => {
    const response = await ask(`${path}?${query}`);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { get, calls, ask };
}

const plain = { id: idOf(1), title: "Bug", done: false, created_at: "1970-01-01T00:00:00.000Z" };

describe("`include`", () => {
  test("adds relations that are allowed, without their sensitive fields, and asks the service for them", async () => {
    const { get, calls } = stand();
    assert.deepEqual((await get("")).body, plain);
    const labels = [
      { id: idOf(2), name: "red" },
      { id: idOf(3), name: "blue" },
    ];
    assert.deepEqual((await get("include=labels,assignee")).body, {
      ...plain,
      labels,
      assignee: { id: idOf(4), name: "Ada" },
    });
    assert.deepEqual((await get("include=labels,labels", "/issues")).body["data"], [{ ...plain, labels }]);
    assert.deepEqual((await get("include=watchers")).body, { ...plain, watchers: null });
    assert.deepEqual(calls, [
      undefined,
      { include: ["labels", "assignee"] },
      { include: ["labels"] },
      { include: ["watchers"] },
    ]);
  });

  test("is 400 with the allowed names for others, before the service is called", async () => {
    const { get, calls } = stand();
    for (const value of [
      "owner",
      "labels,",
      ",",
      "labels,owner",
      "password",
      "__proto__",
      "constructor",
      "labels.secret",
    ]) {
      for (const path of [undefined, "/issues"]) {
        const { status, body } = await get(`include=${value}`, path);
        assert.deepEqual(
          [status, body["code"], body.detail?.includes("labels, assignee, watchers")],
          [400, "E_QUERY_INVALID", true],
          value,
        );
      }
    }
    assert.equal((await get("include=labels&include=assignee")).status, 400);
    assert.deepEqual(calls, []);
    assert.equal((await stand({ include: {} }).get("include=labels")).status, 400);
  });
});

test("two thousand hostile texts are refused as names, with the allowed ones, before the service is called", async () => {
  const { get, calls } = stand();
  const allowed = { include: "labels, assignee, watchers", fields: "id, title, done, version, created_at, updated_at" };
  for (const text of sample([...new Set(payloads(3000))].slice(0, 2000))) {
    for (const [key, names] of Object.entries(allowed)) {
      const { status, body } = await get(`${key}=${encodeURIComponent(text)}`, "/issues");
      assert.deepEqual([status, body["code"]], [400, "E_QUERY_INVALID"], text);
      assert.ok(body.detail?.endsWith(`${names}.`), text);
    }
  }
  assert.deepEqual(calls, []);
});

describe("`fields`", () => {
  test("selects properties, and always the id", async () => {
    const { get } = stand();
    assert.deepEqual((await get("fields=title")).body, { id: idOf(1), title: "Bug" });
    assert.deepEqual((await get("fields=id")).body, { id: idOf(1) });
    assert.deepEqual((await get("fields=")).body, plain);
    assert.deepEqual((await get("fields=done,title", "/issues")).body["data"], [
      { id: idOf(1), title: "Bug", done: false },
    ]);
    const { body } = await get("fields=title&include=assignee");
    assert.deepEqual(body, { id: idOf(1), title: "Bug", assignee: { id: idOf(4), name: "Ada" } });
  });

  test("is 400 for sensitive, internal and unknown properties", async () => {
    const { get } = stand();
    for (const value of [
      "password",
      "internal",
      "labels",
      "title,password",
      "__proto__",
      "toString",
      "Title",
      " title",
    ]) {
      const { status, body } = await get(`fields=${value}`);
      assert.equal(status, 400, value);
      assert.match(body.detail ?? "", /id, title, done, version, created_at, updated_at/);
    }
  });

  test("never shows a sensitive value, whatever is requested", async () => {
    const { ask } = stand({ fields: ["id", "title", "password"] });
    await assertProperty(
      asyncProperty(string(), string(), async (fields, include) => {
        const query = new URLSearchParams({ fields: fields.toWellFormed(), include: include.toWellFormed() });
        const text = await (await ask(`/issues/${idOf(1)}?${query.toString()}`)).text();
        // An identifier is random, and may contain the digits of the password.
        assert.doesNotMatch(text.replace(/"requestId":"\w+"/, ""), /1234|hash|"s"/);
      }),
    );
    assert.equal((await ask(`/issues/${idOf(1)}?fields=password`)).status, 400);
  });

  test("works on the result of `json` only for the listed names", async () => {
    const json = ({ title }: Issue): unknown => ({ id: 7, name: title, more: true });
    assert.equal((await stand({ json }).get("fields=name")).status, 400);
    const { get } = stand({ json, fields: ["name"] });
    assert.deepEqual((await get("fields=name")).body, { id: 7, name: "Bug" });
    assert.equal((await get("fields=more")).status, 400);
    assert.deepEqual((await stand({ json: () => [1] }).get("include=labels")).body, [1]);
  });
});

test("a change accepts `fields`, and no `include`", async () => {
  const { ask } = stand();
  const post = async (query: string): Promise<unknown> => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"title":"x","done":true}' };
    const response = await ask(`/issues?${query}`, init);
    return [response.status, response.status === 201 ? await response.json() : undefined];
  };
  assert.deepEqual(await post("fields=title"), [201, { id: idOf(1), title: "Bug" }]);
  assert.deepEqual(await post("include=labels"), [400, undefined]);
  assert.deepEqual(await post("fields=password"), [400, undefined]);
});

test("the OpenAPI document has both parameters", async () => {
  const document = (await (await stand().ask("/openapi.json")).json()) as Document;
  assertDocument(document);
  for (const path of ["/issues", "/issues/{id}"]) {
    const parameters = JSON.stringify(document.paths[path]?.["get"]?.parameters);
    assert.match(parameters, /"include","in":"query","description":"[^"]*labels, assignee/);
    assert.match(parameters, /"fields","in":"query","description":"[^"]*title, done/);
  }
});

test("only relations of the item can be included", () => {
  // @ts-expect-error -- an issue has no owner
  assert.ok(stand({ include: { owner: labelSchema } }));
});
