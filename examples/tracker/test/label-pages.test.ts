import assert from "node:assert/strict";
import * as Label from "../app/domain/label/label.ts";
import * as LabelFactory from "./factory/label.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

const path = "/labels";

test("lists labels", async () => {
  const { id } = await LabelFactory.make();
  const alice = await loggedIn();
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${path}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds a label", async () => {
  const alice = await loggedIn();
  assert.equal((await alice.get(`${path}/new`)).status, 200);
  const response = await alice.post(path, formValues(await LabelFactory.input()));
  assert.equal(response.status, 303);
  assert.equal(response.location, path);
  assert.match((await alice.follow(response)).body, /role="status"/);
  assert.equal((await Label.search())[1], 1);
});

test("shows invalid input again, with an error message", async () => {
  const alice = await loggedIn();
  await alice.get(`${path}/new`);
  const form = formValues(await LabelFactory.input());
  const response = await alice.post(path, { ...form, name: "x".repeat(256) });
  assert.equal(response.status, 422);
  assert.match(response.body, /<p class="error" id="name-error">[^<]+</);
  assert.deepEqual(await Label.search(), [[], 0]);
});

test("shows and edits a label", async () => {
  const { id, version } = await LabelFactory.make();
  const alice = await loggedIn();
  assert.equal((await alice.get(`${path}/${id}`)).status, 200);
  assert.equal((await alice.get(`${path}/${id}/edit`)).status, 200);
  const input = await LabelFactory.otherInput();
  const response = await alice.put(`${path}/${id}`, { ...formValues(input), version: String(version) });
  assert.equal(response.location, `${path}/${id}`);
  const label = await Label.find(id);
  assert.deepEqual({ ...label, ...input }, label);
});

test("deletes a label and returns to the same page of the list", async () => {
  const { id } = await LabelFactory.make();
  const alice = await loggedIn();
  await alice.get(path);
  const response = await alice.delete(`${path}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${path}/${id}`)).status, 404);
});

/** Encodes input as a browser does: an empty field is sent as an empty text, an unchecked checkbox is not sent. */
function formValues(input: Label.Input): Readonly<Record<string, string>> {
  const form = Label.schema.fill(input).filter(([, value]) => value !== "false");
  return Object.fromEntries(form.map(([name, value]) => [name, value ?? ""]));
}
