// Pages and services of an application of the framework behind the development server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isReload, limmatProject, navigation, startSession } from "./development-session.test.ts";

test("lists the nearest routes for a path without a route, with their declarations", async () => {
  await using project = await startSession(limmatProject);
  const { status, body } = await project.get("/todo/7", navigation);
  assert.equal(status, 404);
  assert.match(body, /No route matches GET \/todo\/7/);
  assert.match(body, /<a href="\/todos\/7"><code>\/todos\/:id<\/code><\/a>[^]*routes\/routes\.ts:7/);
  const problem = JSON.parse((await project.get("/todo/7", { accept: "application/json" })).body) as object;
  assert.deepEqual((problem as { readonly nearestRoutes: unknown }).nearestRoutes, ["GET /todos/:id", "GET /"]);
});

test("keeps captured mails over a restart", async () => {
  await using project = await startSession({
    ...limmatProject,
    "service/service.ts": `
import { smtp } from "limmat/email/smtp";
export const email = smtp();
export const services = [email];
`,
    "routes/routes.ts": `
import { Email, Web } from "limmat";
import { email } from "../service/service.ts";
import { page } from "../web/page.ts";
const send = async () => {
  await email.send({ recipient: "ada@example.com", subject: "Welcome, " + page, text: "Hello" });
  return Web.Response.text("sent");
};
export const router = Web.choose([
  Web.get("/", () => Web.Response.text(page)),
  Web.get("/send", send),
  Web.choose([Email.Web.inbox({ email })], { scope: "/mails" }),
]);
`,
  });
  assert.equal((await project.get("/send")).body, "sent");
  project.write("web/page.ts", 'export const page: string = "two";\n');
  await project.nextEvent(isReload);
  assert.equal((await project.get("/send")).body, "sent");
  const { body } = await project.get("/mails", navigation);
  assert.match(body, /Welcome, two[^]*Welcome, one/);
});
