import assert from "node:assert/strict";
import { test } from "node:test";
import { type Visitor, visitor } from "./visitor.ts";

/** Makes a visitor of an application that responds with the form fields it receives. */
const echoVisitor = (): Visitor =>
  visitor({
    request: async (input, init) => {
      const form = await new Request(new URL(input, "http://localhost"), init).formData();
      const sent = [...form].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
      return Response.json(sent);
    },
  });

test("sends several values under one name, with and without files", async () => {
  const fields = { title: "a", colours: ["red", "blue"], none: [] };
  const sent = [
    ["title", "a"],
    ["colours", "red"],
    ["colours", "blue"],
  ];
  assert.deepEqual(JSON.parse((await echoVisitor().post("/", fields)).body), sent);
  const files = [new File(["x"], "a.txt"), new File(["y"], "b.txt")];
  assert.deepEqual(JSON.parse((await echoVisitor().post("/", { ...fields, files })).body), [
    ...sent,
    ["files", "a.txt"],
    ["files", "b.txt"],
  ]);
});
