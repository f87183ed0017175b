import assert from "node:assert/strict";
import { test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { isolate, serve } from "../application/fetch.test.ts";
import { Response } from "../../http/message/response.ts";
import { Language } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import { Schema } from "../../schema/index.ts";
import { decodeJson, decodeQuery } from "./decode-input.ts";

isolate();

interface Search {
  readonly word: string;
  readonly pages: readonly number[];
}

/** Schema as another library makes it: asynchronous, and with issues at paths. */
const search: StandardSchemaV1<unknown, Search> = {
  "~standard": {
    version: 1,
    vendor: "other",
    validate: async (input) => {
      const { word, page = [], ...others } = Object(input) as Readonly<Record<string, unknown>>;
      const pages = [page].flat().map(Number);
      const issues: StandardSchemaV1.Issue[] = [
        ...(typeof word === "string" ? [] : [{ message: "Required", path: ["word"] }]),
        ...pages.flatMap((number, index) =>
          Number.isNaN(number) ? [{ message: "Not a number", path: [{ key: "page" }, index] }] : [],
        ),
        ...(Object.keys(others).length > 0 ? [{ message: `Unknown: ${Object.keys(others).join()}` }] : []),
      ];
      return issues.length > 0 ? { issues } : { value: { word: String(word), pages } };
    },
  },
};
const record = Schema.record({ word: Schema.string({ min: 1 }), page: Schema.int({ default: 1 }), all: Schema.bool() });

const ask = serve([], async (request) => {
  if (request.path === "/record") return Response.json(await decodeQuery(request, record));
  if (request.method === "POST") return Response.json(await decodeJson(request, search));
  const found: Search = await decodeQuery(request, search);
  return Response.json(found);
});

/** Returns status and body, of a problem document its details. */
async function answerTo(path: string, init: RequestInit = {}): Promise<readonly unknown[]> {
  const headers = new Headers(init.headers);
  headers.set("accept", "application/json");
  const response = await ask(path, { ...init, headers });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  return response.ok ? [response.status, body] : [response.status, body["detail"], body["errors"]];
}

const json = (body: unknown): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

test("a query is read by a schema of another library, from texts and lists of texts", async () => {
  assert.deepEqual(await answerTo("/?word=a%20b"), [200, { word: "a b", pages: [] }]);
  assert.deepEqual(await answerTo("/?word=&page=2"), [200, { word: "", pages: [2] }]);
  assert.deepEqual(await answerTo("/?page=1&word=a&page=2&page=3&__proto__=x"), [200, { word: "a", pages: [1, 2, 3] }]);
});

test("a query that does not match is 400 with its messages by parameter", async () => {
  assert.deepEqual(await answerTo("/?page=1&page=x"), [
    400,
    "The query is not valid: word: Required",
    { word: "Required", "page.1": "Not a number" },
  ]);
  assert.deepEqual(await answerTo("/?word=a&toString=1"), [
    400,
    "The query is not valid: Unknown: toString",
    { "": "Unknown: toString" },
  ]);
});

test("a record reads a query like a form", async () => {
  assert.deepEqual(await answerTo("/record?word=a&page=7&all=on"), [200, { word: "a", page: 7, all: true }]);
  const [status, , errors] = await answerTo("/record?page=x");
  assert.deepEqual([status, Object.keys(errors as object)], [400, ["word", "page"]]);
});

test("a JSON body is read by a schema, and is 422 if it does not match", async () => {
  assert.deepEqual(await answerTo("/", json({ word: "a", page: 4 })), [200, { word: "a", pages: [4] }]);
  assert.deepEqual(await answerTo("/", json({})), [422, "The body is not valid: word: Required", { word: "Required" }]);
  assert.equal((await answerTo("/", { method: "POST", body: "{}" }))[0], 415);
});

test("a query has decimals with the point in each language, and its messages are in the language", async () => {
  const { run } = Language.make("en", { en: {}, de: {} }, { framework: { de } });
  const prices = Schema.record({ price: Schema.decimal() });
  const decode = (price: string) => run("de", () => decodeQuery({ query: new URLSearchParams({ price }) }, prices));
  assert.deepEqual(await decode("12.5"), { price: "12.50" });
  await assert.rejects(decode("12,5"), {
    message:
      "Die Abfrage ist ungültig: price: Bitte geben Sie eine Zahl mit höchstens 2 Nachkommastellen ein, zum Beispiel 12.50",
  });
});
