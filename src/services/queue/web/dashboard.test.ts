import assert from "node:assert/strict";
import { test } from "node:test";
import { App } from "../../../app/index.ts";
import { capturedLog, configuration, fakeClock, visitor, type Visitor } from "../../../testing/index.ts";
import { choose, Http, type Middleware, Response } from "../../../web/index.ts";
import type { Queue } from "../contract.ts";
import { job, memory, Web } from "../index.ts";
import type { DashboardOptions } from "./dashboard.ts";

const note = job({
  name: "note.keep",
  maxAttempts: 1,
  handle: (input: { readonly text: string }) => {
    if (input.text.includes("<")) throw new Error(`cannot keep ${input.text}`);
  },
});

interface Stage extends AsyncDisposable {
  readonly queue: Queue;
  readonly admin: Visitor;
  readonly stranger: Visitor;
}

const requireAdmin: Middleware = (handler) => (request) =>
  request.header("x-admin") === "no" ? Response.text("for admins", { status: 403 }) : handler(request);

/** An application with the dashboard behind a guard. */
async function open(options: Omit<DashboardOptions, "queue"> = { guards: [requireAdmin] }): Promise<Stage> {
  const settings = configuration({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" });
  const queue = memory({ jobs: () => [note] });
  const router = choose([Web.router({ queue, ...options })], { scope: "/admin/jobs" });
  const app = App.create({ services: [queue, Http.service({ router })] });
  await app.start({ server: false });
  const stranger = visitor({
    request: (path, init) => app.request(path, { ...init, headers: { "x-admin": "no", accept: "text/html" } }),
  });
  return {
    queue,
    admin: visitor(app),
    stranger,
    [Symbol.asyncDispose]: async () => {
      await app.stop();
      settings[Symbol.dispose]();
    },
  };
}

test("the dashboard lists jobs by status, name and tag, in pages", async () => {
  using _ = capturedLog("error");
  using clock = fakeClock();
  await using stage = await open();
  const { queue, admin } = stage;
  await queue.dispatch(note, { text: "<b>" }, { tag: "wrong & bold" });
  await queue.runDue();
  await clock.advance(1000);
  await queue.dispatchAll(note, Array<{ text: string }>(60).fill({ text: "a" }), { delayMs: 5000 });
  const all = await admin.get("/admin/jobs");
  assert.equal(all.status, 200);
  assert.equal(all.headers.get("cache-control"), "no-store");
  assert.equal(all.body.match(/<li>\s*<a href="\/admin\/jobs\/[\w-]{36}">/g)?.length, 50);
  assert.match(all.body, />all 61<[^]*>pending 60<[^]*>failed 1</);
  assert.match(all.body, /1 to 50 of 61/);
  assert.match(all.body, /href="\/admin\/jobs\?offset=50" rel="next"/);
  const older = await admin.get("/admin/jobs?offset=50");
  assert.match(older.body, /51 to 61 of 61/);
  assert.match(older.body, /wrong &amp; bold/);
  assert.match(older.body, /Error: cannot keep &lt;b&gt;/);
  const failed = await admin.get("/admin/jobs?status=failed");
  assert.match(failed.body, /1 to 1 of 1/);
  assert.match(failed.body, /href="\/admin\/jobs\?status=failed" aria-current="page"/);
  const found = await admin.get("/admin/jobs?filter=%26%20BOLD&refresh=on");
  assert.match(found.body, /1 to 1 of 1/);
  assert.match(found.body, /http-equiv="refresh" content="5"/);
  assert.match((await admin.get("/admin/jobs?tag=none&name=note.keep")).body, /No jobs match/);
  assert.equal((await admin.get("/admin/jobs?limit=0")).status, 400);
  assert.equal((await admin.get("/admin/jobs?offset=x")).status, 400);
});

test("the page of a job shows its error, and its buttons cancel or requeue it", async () => {
  using _ = capturedLog("error");
  await using stage = await open();
  const { queue, admin } = stage;
  const id = await queue.dispatch(note, { text: "<i>" }, { ctx: [["tenant", "a<b"]] });
  await queue.runDue();
  const page = await admin.get(`/admin/jobs/${id}`);
  assert.match(page.body, /<h1>note\.keep<\/h1>/);
  assert.match(page.body, /cannot keep &lt;i&gt;/);
  assert.match(page.body, /&quot;text&quot;: &quot;&lt;i&gt;&quot;|"text": "&lt;i&gt;"/);
  assert.match(page.body, /tenant: a&lt;b/);
  assert.doesNotMatch(page.body, /Cancel<\/button>/);
  const requeued = await admin.follow(await admin.post(`/admin/jobs/${id}/requeue`));
  assert.match(requeued.body, /role="status">The job is requeued\./);
  assert.equal((await queue.findOpt(id))?.status, "pending");
  const cancelled = await admin.follow(await admin.post(`/admin/jobs/${id}/cancel`));
  assert.match(cancelled.body, /The job is cancelled\./);
  assert.equal((await queue.findOpt(id))?.status, "cancelled");
  const again = await admin.follow(await admin.post(`/admin/jobs/${id}/cancel`));
  assert.match(again.body, /role="alert">The job has already finished\./);
  assert.equal((await admin.get("/admin/jobs/nothing")).status, 404);
  assert.equal((await admin.post("/admin/jobs/nothing/cancel")).status, 404);
});

test("a form without a CSRF token or from an unauthorized visitor changes nothing", async () => {
  using _ = capturedLog();
  await using stage = await open();
  const { queue, admin, stranger } = stage;
  const id = await queue.dispatch(note, { text: "a" });
  assert.equal((await admin.post(`/admin/jobs/${id}/cancel`)).status, 403);
  for (const path of ["/admin/jobs", `/admin/jobs/${id}`]) assert.equal((await stranger.get(path)).status, 403);
  assert.equal((await stranger.post(`/admin/jobs/${id}/cancel`)).status, 403);
  assert.equal((await queue.findOpt(id))?.status, "pending");
});

test("a dashboard without a guard is open in development and test only", async () => {
  using _ = capturedLog();
  const secret = "0123456789abcdef0123456789abcdef-dashboard";
  for (const [environment, guards, status] of [
    ["production", [], 404],
    ["production", undefined, 404],
    ["", [], 404],
    ["development", [], 200],
    ["test", undefined, 200],
    ["production", [(handler) => handler], 200],
  ] as readonly (readonly [string, DashboardOptions["guards"], number])[]) {
    await using stage = await open(guards === undefined ? {} : { guards });
    const id = await stage.queue.dispatch(note, { text: "a" });
    using __ = configuration({ FRAMEWORK_ENV: environment, FRAMEWORK_SECRET: secret, CHECK_CSRF: "false" });
    for (const path of ["/admin/jobs", `/admin/jobs/${id}`])
      assert.equal((await stage.admin.get(path)).status, status, `${environment} ${path}`);
    if (status === 404) {
      for (const action of ["cancel", "requeue"])
        assert.equal((await stage.admin.post(`/admin/jobs/${id}/${action}`)).status, 404, action);
      assert.equal((await stage.queue.find(id)).status, "pending");
    }
  }
});

test("a long input is truncated", async () => {
  await using stage = await open();
  const id = await stage.queue.dispatch(note, { text: "a".repeat(5_000_000) });
  const page = await stage.admin.get(`/admin/jobs/${id}`);
  assert.match(page.body, /aaa… \(5,000,011 characters\)<\/pre>/);
  assert.ok(page.body.length < 20_000);
});

test("inputs can be hidden", async () => {
  await using stage = await open({ showInputs: false });
  const id = await stage.queue.dispatch(note, { text: "personal" });
  const page = await stage.admin.get(`/admin/jobs/${id}`);
  assert.doesNotMatch(page.body, /personal|Input/);
});
