import assert from "node:assert/strict";
import { test } from "node:test";
import { type Visitor, visitor } from "./visitor.ts";

/** A visitor of an application that answers with what it was sent. */
const stand = (): Visitor =>
  visitor({
    request: async (input, init) => {
      const form = await new Request(new URL(input, "http://localhost"), init).formData();
      const sent = [...form].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
      return Response.json(sent);
    },
  });

test("several values are sent under one name, with files and without", async () => {
  const fields = { title: "a", colours: ["red", "blue"], none: [] };
  const sent = [
    ["title", "a"],
    ["colours", "red"],
    ["colours", "blue"],
  ];
  assert.deepEqual(JSON.parse((await stand().post("/", fields)).body), sent);
  const files = [new File(["x"], "a.txt"), new File(["y"], "b.txt")];
  assert.deepEqual(JSON.parse((await stand().post("/", { ...fields, files })).body), [
    ...sent,
    ["files", "a.txt"],
    ["files", "b.txt"],
  ]);
});
