// The page of an OpenAPI document in a browser: its requests, its policy and its accessibility.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { root } from "../sources.ts";
import { accessibilityProblems } from "./accessibility.ts";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startProgram } from "./example.ts";
import { runInPage } from "./page.ts";

const options = { skip: browserSkip };
let browser: Browser;
let server: RunningExample;

before(async () => {
  if (browserSkip !== false) return;
  const code = `
    import { App, Schema, Web } from "limmat";
    const { describe, problem, router: documentOf, tokenSecurity } = Web.OpenApi;
    const todo = Schema.record({ title: Schema.string({ description: "Task to do" }), hours: Schema.int() }, { title: "Todo" });
    const query = Schema.record({
      words: Schema.optional(Schema.string({ description: "Words that the items must contain" })),
      order: Schema.optional(Schema.oneOf(["up", "down"])),
      // The name of a property of form elements.
      dataset: Schema.optional(Schema.string()),
      tags: Schema.list(Schema.string()),
    });
    const echo = async (request) => Web.Response.json({
      path: request.path,
      query: [...request.query],
      body: request.method === "GET" ? null : await request.json(),
      authorization: request.header("authorization"),
      etag: request.header("if-match"),
    });
    const tags = ["todos"];
    const api = Web.choose([
      Web.get("/todos", echo, { describe: { tags, summary: "List to-dos", query, responses: { 200: { type: "array", items: todo } } } }),
      Web.post("/todos", echo, { describe: { tags, summary: "Create a to-do", body: todo, responses: { 201: todo, 422: problem("A field is not valid") } } }),
      Web.put("/todos/:id", echo, { describe: { tags, summary: "Replace a to-do", description: "Send the tag in \`If-Match\`.", headers: { "if-match": { description: "Entity tag", isRequired: true } }, body: todo, responses: { 200: todo } } }),
      Web.delete("/todos/:id", () => Web.Response.empty(), { describe: { tags, deprecated: true, responses: { 204: "Deleted" } } }),
      Web.get("/files/*path", echo, { describe: { tags: ["files"], summary: "Download a file", responses: { 200: { description: "The file", body: { type: "string" }, mediaType: "text/plain" } } } }),
      Web.get("/report", (request) => Web.negotiate(request, { "text/csv": () => Web.Response.text("a,b") }), { describe: { tags: ["files"], responses: { 200: "The report" } } }),
      Web.get("/events", (request) => Web.Response.events((async function* () {
        yield { data: request.query.get("number") };
        await new Promise(() => {});
      })()), { describe: { tags: ["files"], query: Schema.record({ number: Schema.string() }), responses: { 200: "Events" } } }),
      Web.get("/total", () => Web.Response.text('{"total":12345678901234567890,"html":"<img src=x onerror=alert(1)>"}', { headers: { "content-type": "application/json" } }), { describe: { tags: ["files"], responses: { 200: "The total" } } }),
    ], { scope: "/api", middlewares: [...Web.Middleware.api(), describe((next) => next, { security: tokenSecurity() })] });
    const site = Web.choose([
      Web.post("/visits", echo, { describe: { responses: { 200: "Counted" } , body: todo } }),
      documentOf({ title: "Site", version: "1.0.0", path: "/site.json", page: "/site" }),
    ], { middlewares: Web.Middleware.site() });
    const scheme = { type: "apiKey", in: "query", name: "api key" };
    const partners = Web.choose([
      Web.get("/partners", echo, { describe: { query, responses: { 200: "Partners" } } }),
      Web.get("/moved", (request) => Web.Response.redirect("/partners" + request.target.slice(6)), { describe: { responses: { 200: "Partners" } } }),
    ], { middlewares: [describe((next) => next, { security: { name: "Partner key", scheme } })] });
    const rest = Web.get("/*path", echo, { describe: { responses: { 200: "Rest" } } });
    const router = Web.choose([api, site, partners, rest, documentOf({ title: "To-dos", version: "1.0.0", description: "Tasks of a team.", page: "/docs" })]);
    const app = App.create({ services: [Web.Http.service({ router, limits: { maxEventLoopDelayMs: 0 } })] });
    await app.start();
    process.once("SIGTERM", async () => {
      await app.stop();
      process.exit(0);
    });`;
  server = await startProgram(["--conditions=@limmat/source", "--input-type=module-typescript", "-e", code], root, {
    CHECK_CSRF: "true",
    FRAMEWORK_SECRET: "secret-secret-secret-secret-secret-1",
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

const withPage = (body: (page: Page) => Promise<void>): Promise<void> => runInPage(browser, server, body);

/** Opens an operation, fills its fields by their labels, sends its form, and returns the body of the response. */
async function send(page: Page, name: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const form = page.getByRole("form", { name, includeHidden: true, exact: true });
  const operation = page.locator("details", { has: form });
  await operation.locator("summary").click();
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value);
  await form.getByRole("button").click();
  await operation.getByText(/^Status 20/).waitFor();
  await operation.locator("pre[aria-label='Body of the response'][aria-busy=false]").waitFor({ state: "attached" });
  return (await operation.getByLabel("Body of the response").textContent()) ?? "";
}

test("an operation is sent with its parameters, body and credentials", options, () =>
  withPage(async (page) => {
    await page.goto("/docs");
    await page.getByLabel("bearer").fill("token-1");
    const fields = { id: "a b&c", "if-match": '"1"', Body: '{"title":"Milk","hours":1}' };
    assert.deepEqual(JSON.parse(await send(page, "PUT /api/todos/{id}", fields)), {
      path: "/api/todos/a b&c",
      query: [],
      body: { title: "Milk", hours: 1 },
      authorization: "Bearer token-1",
      etag: '"1"',
    });
    const list = JSON.parse(
      await send(page, "GET /api/todos", { words: "a&b", dataset: "a", tags: "red\n\nblue\n" }),
    ) as object;
    assert.deepEqual("query" in list && list.query, [
      ["words", "a&b"],
      ["dataset", "a"],
      ["tags", "red"],
      ["tags", "blue"],
    ]);
    assert.match(
      await send(page, "GET /api/files/{path}", { path: "a/b c.txt" }),
      /"path": "\/api\/files\/a\/b c\.txt"/,
    );
    assert.equal(await send(page, "DELETE /api/todos/{id}", { id: "1" }), "");
    assert.equal(await send(page, "GET /api/report"), "a,b");
  }),
);

test(
  "a key of a scheme whose name has a space is sent in the query, and masked where the page shows the address",
  options,
  () =>
    withPage(async (page) => {
      await page.goto("/docs");
      await page.getByLabel("Partner key").fill("a secret&key");
      const sent = JSON.parse(await send(page, "GET /partners", { words: "a b" })) as { readonly query: unknown };
      assert.deepEqual(sent.query, [
        ["api key", "a secret&key"],
        ["words", "a b"],
      ]);
      await page.getByText("GET /partners?api+key=•••&words=a+b", { exact: true }).waitFor();
      await send(page, "GET /moved");
      await page.getByText(/^GET \/moved\?api\+key=••• → http:\S+\/partners\?api\+key=•••$/).waitFor();
    }),
);

test("a response is shown as text, with all digits of its numbers", options, () =>
  withPage(async (page) => {
    await page.goto("/docs");
    const text = await send(page, "GET /api/total");
    assert.equal(text, '{\n  "total": 12345678901234567890,\n  "html": "<img src=x onerror=alert(1)>"\n}');
    assert.equal(await page.locator("img").count(), 0);
  }),
);

test("a response without an end is shown while it arrives, until the form is sent again", options, () =>
  withPage(async (page) => {
    await page.goto("/docs");
    await page.locator("summary", { hasText: "/api/events" }).click();
    const form = page.getByRole("form", { name: "GET /api/events", exact: true });
    for (const number of ["1", "2"]) {
      await form.getByLabel("number").fill(number);
      await form.getByRole("button").click();
      await page.getByLabel("Body of the response").getByText(`data: ${number}`).waitFor();
    }
  }),
);

test("an error is shown, and a required field is asked for", options, () =>
  withPage(async (page) => {
    await page.goto("/docs");
    await page.locator("summary", { hasText: "Create a to-do" }).click();
    const form = page.getByRole("form", { name: "POST /api/todos", exact: true });
    await form.getByLabel("Body").fill("{");
    await form.getByRole("button").click();
    await page.getByText("Status 400").waitFor();
    await form.getByLabel("Body").fill("");
    await form.getByRole("button").click();
    assert.equal(await page.locator("textarea:user-invalid:focus").count(), 1);
    // No request to another host: the server refuses such a path.
    await page.locator("summary", { hasText: "/{path}" }).last().click();
    const wildcard = page.getByRole("form", { name: "GET /{path}", exact: true });
    await wildcard.getByLabel("path").fill("/example.com/a");
    await wildcard.getByRole("button").click();
    await page.getByText("GET //example.com/a").waitFor();
    assert.equal(await page.getByText(/^Status 400/).count(), 2);
  }),
);

test("behind the session middleware, the page sends its CSRF token", options, () =>
  withPage(async (page) => {
    await page.goto("/site");
    assert.match(await send(page, "POST /visits", { Body: '{"title":"Milk","hours":2}' }), /"hours": 2/);
    await page.goto("/docs");
    await page.locator("summary", { hasText: "/visits" }).click();
    await page.getByRole("form", { name: "POST /visits" }).getByRole("button").click();
    await page.getByText("Status 403").waitFor();
  }),
);

test("the page is accessible in both themes, and fits a phone and a wide screen", options, () =>
  withPage(async (page) => {
    await page.goto("/docs");
    await send(page, "GET /api/todos");
    await page.evaluate("document.querySelectorAll('details').forEach((element) => (element.open = true))");
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await accessibilityProblems(page), [], `${colorScheme} ${width}`);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      }
    }
    await page.getByRole("link", { name: "Todo", exact: true }).first().click();
    assert.match(await page.locator(":target").innerText(), /"title": "Todo"/);
  }),
);
