// A Hono application mounted below a path, over a socket.
import { LogInternals } from "../src/log/index.ts";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { stream } from "hono/streaming";
import { App, Configuration, Web } from "limmat";
import { fromFetch } from "limmat/http";
import { ConfigurationInternals } from "../src/config/index.ts";

const guest = new Hono();
guest.get("/hello/:name", (context) => context.text(`Hello, ${context.req.param("name")}`));
guest.post("/echo", async (context) => {
  const { name } = await context.req.json<{ name: string }>();
  return context.json({ name, type: context.req.header("content-type"), query: context.req.query("q") }, 201);
});
guest.post("/form", async (context) => context.json(await context.req.parseBody()));
guest.post("/length", async (context) => context.text(String((await context.req.arrayBuffer()).byteLength)));
guest.get("/count", (context) => {
  setCookie(context, "count", String(Number(getCookie(context, "count") ?? 0) + 1), { path: "/guest" });
  setCookie(context, "other", "x");
  return context.redirect("/guest/hello/you", 303);
});
guest.get("/slowly", (context) =>
  stream(context, async (body) => {
    for (let count = 0; count < 3; count++) await body.write(`${count}\n`);
  }),
);
guest.get("/fails", () => {
  throw new Error("The guest has a problem");
});
guest.onError((error, context) => context.text(error.message, 500));

const http = Web.Http.service({
  limits: { maxEventLoopDelayMs: 0 },
  router: Web.choose([
    Web.mount("/guest", guest.fetch),
    Web.get("/hello/:name", fromFetch(guest.fetch)),
    Web.get("/", () => Web.Response.text("ours")),
  ]),
});
const app = App.create({ services: [http], reporters: [] });
let origin = "";
before(async () => {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["HOST", "127.0.0.1"],
    ["PORT", "0"],
  ]);
  await app.start();
  origin = `http://127.0.0.1:${http.address()?.port}`;
});
after(async () => {
  await app.stop();
  ConfigurationInternals.reset();
  LogInternals.reset();
});

test("its routes match below the path, and the other routes elsewhere", async () => {
  const response = await fetch(`${origin}/guest/hello/M%C3%BCller%20%26%20Co`);
  assert.deepEqual([response.status, await response.text()], [200, "Hello, Müller & Co"]);
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.match(response.headers.get("x-request-id") ?? "", /^[\w-]+$/);
  assert.equal(await (await fetch(`${origin}/`)).text(), "ours");
  assert.equal(await (await fetch(`${origin}/hello/Ada`)).text(), "Hello, Ada");
  const head = await fetch(`${origin}/guest/hello/Ada`, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

test("it reads bodies: JSON, forms, streamed bytes", async () => {
  const headers = { "content-type": "application/json" };
  const created = await fetch(`${origin}/guest/echo?q=a%26b`, { method: "POST", headers, body: '{"name":"Ä"}' });
  assert.deepEqual(
    [created.status, await created.json()],
    [201, { name: "Ä", type: "application/json", query: "a&b" }],
  );
  const form = await fetch(`${origin}/guest/form`, { method: "POST", body: new URLSearchParams({ a: "1", b: "ü" }) });
  assert.deepEqual(await form.json(), { a: "1", b: "ü" });
  const upload = new FormData();
  upload.set("a", "1");
  assert.deepEqual(await (await fetch(`${origin}/guest/form`, { method: "POST", body: upload })).json(), { a: "1" });
  const chunks = new Blob(["x".repeat(300_000)]).stream();
  const length = await fetch(`${origin}/guest/length`, { method: "POST", body: chunks, duplex: "half" });
  assert.equal(await length.text(), "300000");
});

test("it streams, sets and reads cookies, and redirects", async () => {
  const slowly = await fetch(`${origin}/guest/slowly`);
  assert.deepEqual([slowly.headers.get("content-length"), await slowly.text()], [null, "0\n1\n2\n"]);
  const counted = await fetch(`${origin}/guest/count`, { headers: { cookie: "count=41" }, redirect: "manual" });
  assert.deepEqual([counted.status, counted.headers.get("location")], [303, "/guest/hello/you"]);
  assert.deepEqual(counted.headers.getSetCookie(), ["count=42; Path=/guest", "other=x; Path=/"]);
});

test("it makes its own responses for unknown paths and errors", async () => {
  const missing = await fetch(`${origin}/guest/nowhere`);
  assert.deepEqual([missing.status, await missing.text()], [404, "404 Not Found"]);
  assert.equal((await fetch(`${origin}/guest/hello/Ada`, { method: "DELETE" })).status, 404);
  const failed = await fetch(`${origin}/guest/fails`);
  assert.deepEqual([failed.status, await failed.text()], [500, "The guest has a problem"]);
  assert.equal((await fetch(`${origin}/guests`)).status, 404);
});

test("a path that two parsers could read differently does not reach it", async () => {
  for (const path of ["/guest/hello/a%2Fb", "/guest//hello/a", "/guest/hello/a%5Cb", "/guest/hello/%ff"]) {
    assert.equal((await fetch(origin + path)).status, 400, path);
  }
});
