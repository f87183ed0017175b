// The OpenAPI description of versions, parents and singular resources.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Ask, isolate } from "../application/fetch.test.ts";
import { assertAnswer, assertDocument, type Document, operationsOf } from "../openapi/document-checker.test.ts";
import { router as openApi } from "../openapi/openapi.ts";
import { jsonOfService } from "./resource.ts";
import { singularJsonOfService } from "./singular.ts";
import type { Versions } from "./version.ts";
import { application, idOf } from "./todo-fixture.test.ts";
import { bug, Issues, schema } from "./version-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

const served = openApi({ title: "Issues", version: "1" });
const documentOf = async (ask: Ask): Promise<Document> => {
  const document = (await (await ask("/openapi.json")).json()) as Document;
  assertDocument(document);
  return document;
};
const namesOf = (document: Document, name: string, place: string): string[] =>
  (new Map(operationsOf(document)).get(name)?.parameters ?? [])
    .filter((parameter) => parameter.in === place)
    .map((parameter) => parameter.name);

const stand = (versions: Versions): Ask =>
  application([...jsonOfService({ name: "issues", schema, service: new Issues(3), versions }), served], []);
const item = `/issues/${idOf(1)}`;
const tag = { "if-match": '"3"' };

/** Requests by operation, which cause each response that is about versions. */
const requests: Readonly<Record<string, readonly (readonly [status: number, headers: object, body?: object])[]>> = {
  "GET /issues/{id}": [
    [200, {}],
    [304, { "if-none-match": "*" }],
    [400, { "if-match": "3" }],
    [412, { "if-match": '"2"' }],
  ],
  "PUT /issues/{id}": [
    [200, tag, bug],
    [200, {}, { ...bug, version: 3 }],
    [409, {}, { ...bug, version: 2 }],
    [412, { "if-match": '"2"' }, bug],
    [422, {}, { ...bug, version: "3" }],
    [428, {}, bug],
  ],
  "PATCH /issues/{id}": [
    [200, tag, { title: "New" }],
    [409, {}, { version: 2 }],
    [412, { "if-match": '"2"' }, {}],
    [428, {}, {}],
  ],
  "DELETE /issues/{id}": [
    [204, tag],
    [400, { "if-match": "3" }],
    [409, {}, { version: 2 }],
    [412, { "if-match": '"2"' }],
    [413, {}, { note: "x".repeat(2_000_000) }],
    [415, { "content-encoding": "gzip" }, {}],
    [428, {}],
  ],
};

describe("the description of items with versions", () => {
  for (const [name, each] of Object.entries(requests)) {
    for (const [status, headers, body] of each) {
      test(`is right about ${name}, which answers ${status} to ${JSON.stringify([headers, body]).slice(0, 100)}`, async () => {
        const ask = stand(true);
        const init = { method: name.split(" ")[0] ?? "", headers: { "content-type": "application/json", ...headers } };
        const response = await ask(item, body === undefined ? init : { ...init, body: JSON.stringify(body) });
        assert.equal(response.status, status);
        await assertAnswer(await documentOf(ask), name, response);
      });
    }
  }

  test("has the version of items and bodies, and the headers", async () => {
    const document = await documentOf(stand(true));
    for (const name of ["PUT", "PATCH", "DELETE"])
      assert.deepEqual(namesOf(document, `${name} /issues/{id}`, "header"), ["if-match"]);
    assert.deepEqual(namesOf(document, "GET /issues/{id}", "header"), ["if-none-match"]);
    assert.deepEqual(namesOf(document, "POST /issues", "header"), []);
    const operations = new Map(operationsOf(document));
    assert.ok(JSON.stringify(operations.get("PATCH /issues/{id}")).includes('"etag"'));
    const schemas = Object.entries(document.components?.schemas ?? {}) as [string, { properties?: object }][];
    const versioned = schemas.filter(([, { properties = {} }]) => "version" in properties).map(([name]) => name);
    assert.deepEqual(versioned.toSorted().slice(0, 1), ["Issue"]);
  });

  test("has no 428 if the version is optional, and nothing about versions without the option", async () => {
    const optional = new Map(operationsOf(await documentOf(stand("optional"))));
    const responses = optional.get("PUT /issues/{id}")?.responses ?? {};
    assert.deepEqual(
      [409, 412, 428].map((status) => status in responses),
      [true, true, false],
    );
    const plain = await documentOf(stand(false));
    assert.deepEqual(namesOf(plain, "PUT /issues/{id}", "header"), []);
    assert.equal(JSON.stringify(plain).includes("ETag"), false);
  });
});

test("the parameters of parents and the paths of singular resources are described", async () => {
  const { find, search } = new Issues();
  const parent = { path: "/teams/:team/projects/:project<int>", find: () => true, of: () => ({}) } as const;
  const ask = application(
    [
      ...jsonOfService({ name: "issues", schema, service: { find, search }, parent, only: ["index", "show"] }),
      ...singularJsonOfService({ name: "profile", schema, service: { find: () => find(idOf(1)) }, only: ["show"] }),
      served,
    ],
    [],
  );
  const document = await documentOf(ask);
  assert.deepEqual(Object.keys(document.paths), [
    "/teams/{team}/projects/{project}/issues",
    "/teams/{team}/projects/{project}/issues/{id}",
    "/profile",
  ]);
  const list = new Map(operationsOf(document)).get("GET /teams/{team}/projects/{project}/issues");
  assert.deepEqual(
    list?.parameters?.slice(0, 2).map(({ name, schema: type }) => [name, type]),
    [
      ["team", { type: "string", format: "uuid" }],
      ["project", { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }],
    ],
  );
  assert.ok(Object.hasOwn(list?.responses ?? {}, "404"));
  assert.deepEqual(namesOf(document, "GET /profile", "path"), []);
});
