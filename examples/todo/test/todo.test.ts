import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Cleaner, Configuration } from "limmat";
import { visitor } from "limmat/testing";
import * as Todo from "../app/domain/todo/todo.ts";
import { app } from "../run/run.ts";
import { migration } from "../service/service.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

before(async () => {
  await app.start({ server: false });
  await migration.runAll();
});
beforeEach(() => Cleaner.cleanAll());
after(() => app.stop());

const addTodo = async (title: string): Promise<Todo.Todo> => {
  const result = await Todo.insert({ title, notes: "", done: false });
  assert.ok(result.ok);
  return result.value;
};

test("adds a to-do, lists it and shows a notice", async () => {
  const alice = visitor(app);
  await alice.get("/todos/new");
  const created = await alice.post("/todos", { title: "Water the plants", notes: "All of them", done: "true" });
  assert.equal(created.status, 303);
  const page = await alice.follow(created);
  assert.match(page.body, /role="status">To-do added</);
  assert.match(page.body, /Water the plants/);
  assert.match(page.body, /class="badge">Done</);
});

test("refuses a to-do without a title and keeps the other input", async () => {
  const alice = visitor(app);
  await alice.get("/todos/new");
  const page = await alice.post("/todos", { title: "  ", notes: "<b>kept</b>" });
  assert.equal(page.status, 422);
  assert.match(page.body, /Please enter a title/);
  assert.match(page.body, /&lt;b&gt;kept&lt;\/b&gt;/);
  assert.deepEqual(await Todo.search({}), [[], 0]);
});

test("edits a to-do", async () => {
  const todo = await addTodo("Buy milk");
  const alice = visitor(app);
  const form = await alice.get(`/todos/${todo.id}/edit`);
  assert.match(form.body, /value="Buy milk"/);
  const page = await alice.follow(await alice.put(`/todos/${todo.id}`, { title: "Buy oat milk", notes: "2 l" }));
  assert.match(page.body, /<h1>Buy oat milk<\/h1>/);
  assert.match(page.body, /2 l/);
});

test("deletes a to-do and returns to the same page of the list", async () => {
  const todo = await addTodo("Old");
  const alice = visitor(app);
  await alice.get("/todos?limit=10");
  const deleted = await alice.delete(`/todos/${todo.id}?limit=10&sort=asc`);
  assert.equal(deleted.location, "/todos?limit=10&sort=asc");
  assert.equal(await Todo.find(todo.id), undefined);
});

test("matches a percent sign in the search literally", async () => {
  await addTodo("100 % sure");
  await addTodo("Not sure");
  const page = await visitor(app).get("/todos?filter=%25");
  assert.match(page.body, /100 % sure/);
  assert.doesNotMatch(page.body, /Not sure/);
  assert.match(page.body, /1 to 1 of 1/);
});

test("links to the first, previous, next and last page", async () => {
  for (const number of Array(30).keys()) await addTodo(`Number ${number}`);
  const page = await visitor(app).get("/todos?limit=10&offset=10");
  assert.match(page.body, /11 to 20 of 30/);
  const hrefs = [...page.body.matchAll(/href="(\/todos\?[^"]*)">(\w+)</g)].map(([, href, label]) => [label, href]);
  assert.deepEqual(hrefs, [
    ["First", "/todos?limit=10&amp;offset=0"],
    ["Previous", "/todos?limit=10&amp;offset=0"],
    ["Next", "/todos?limit=10&amp;offset=20"],
    ["Last", "/todos?limit=10&amp;offset=20"],
  ]);
});

test("refuses a form without a CSRF token", async () => {
  const page = await visitor(app).post("/todos", { title: "Forged" });
  assert.equal(page.status, 403);
  assert.deepEqual(await Todo.search({}), [[], 0]);
});

test("responds with 400 to an invalid query and with 404 to an unknown path", async () => {
  const alice = visitor(app);
  const statuses = {
    "/todos?limit=abc": 400,
    "/todos?limit=0": 400,
    "/todos/%zz": 400,
    "/todos/not-a-uuid": 404,
    "/todos/00000000-0000-4000-8000-000000000000": 404,
    "/nowhere": 404,
  };
  for (const [path, status] of Object.entries(statuses)) assert.equal((await alice.get(path)).status, status, path);
});

test("the API responds with a greeting", async () => {
  const response = await app.request("/api/hello/Zo%C3%AB");
  assert.deepEqual(await response.json(), { hello: "Zoë" });
});
