import assert from "node:assert/strict";
import { visitor } from "limmat/testing";
import * as Greeting from "../app/domain/greeting/greeting.ts";
import { app } from "../run/run.ts";
import { token } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("the welcome page shows a greeting", async () => {
  assert.match((await visitor(app).get("/")).body, /<h1>Hello<\/h1>[^]*npm run app seed/);
  await Greeting.insert({ text: "Bun di" });
  assert.match((await visitor(app).get("/")).body, /<h1>Bun di<\/h1>/);
});

test("the readiness check succeeds", async () => {
  assert.equal((await app.request("/health/ready")).status, 200);
});

test("the API says hello", async () => {
  const response = await app.request("/api/hello/Ada");
  assert.deepEqual(await response.json(), { hello: "Ada" });
});

test("the API adds a greeting for clients with a token", async () => {
  const add = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const body = JSON.stringify({ text: "Bun di" });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
    return (await app.request("/api/greetings", init)).status;
  };
  assert.equal(await add({}), 401);
  assert.equal(await add({ authorization: `Bearer ${await token.create({}, { purpose: "api" })}` }), 201);
  assert.match((await visitor(app).get("/")).body, /<h1>Bun di<\/h1>/);
});

test("the API limits the requests of a client", async () => {
  const response = await app.request("/api/hello/Ada");
  assert.match(response.headers.get("ratelimit") ?? "", /r=\d+/);
});
