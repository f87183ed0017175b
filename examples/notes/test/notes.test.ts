import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Cleaner, Configuration, Time } from "limmat";
import { visitor, type Visitor, waitFor } from "limmat/testing";
import { dispatchWeeklyDigests } from "../app/domain/digest/digest.ts";
import { app } from "../run/run.ts";
import { email, migration, queue, user } from "../service/service.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

before(async () => {
  await app.start({ server: false });
  await migration.runAll();
});
beforeEach(() => Cleaner.cleanAll());
after(() => app.stop());

const password = "a meadow of cats";

/** Registers a user and returns the logged-in visitor. */
async function newMember(address: string): Promise<Visitor> {
  const member = visitor(app);
  await member.get("/register");
  const registered = await member.post("/register", { email: address, password, confirmation: password });
  assert.equal(registered.location, "/notes");
  await member.get("/notes");
  return member;
}

test("registration shows a notice and sends an e-mail", async () => {
  const ada = visitor(app);
  await ada.get("/register");
  const page = await ada.follow(
    await ada.post("/register", { email: "ada@example.com", password, confirmation: password }),
  );
  assert.match(page.body, /role="status">Welcome!</);
  await queue.runDue();
  assert.deepEqual(
    email.inbox.to("ada@example.com").map(({ subject }) => subject),
    ["Welcome to Notes"],
  );
});

test("guests are redirected to the login page, and back after login", async () => {
  await newMember("ada@example.com");
  const ada = visitor(app);
  const redirected = await ada.get("/notes/new");
  assert.equal(redirected.location, "/login?return_to=%2Fnotes%2Fnew");
  await ada.follow(redirected);
  const rejected = await ada.post(redirected.location ?? "", { email: "ada@example.com", password: "another" });
  assert.equal(rejected.status, 422);
  const loggedIn = await ada.post(redirected.location ?? "", { email: "ADA@example.com", password });
  assert.equal(loggedIn.location, "/notes/new");
});

test("only the owner can see, change and delete a note", async () => {
  const [ada, bob] = [await newMember("ada@example.com"), await newMember("bob@example.com")];
  await ada.get("/notes/new");
  const list = await ada.follow(await ada.post("/notes", { title: "Plans", body: "None of your business" }));
  const path = /href="(\/notes\/[0-9a-f-]{36})"/.exec(list.body)?.[1] ?? "";
  assert.match((await ada.get(path)).body, /None of your business/);
  assert.doesNotMatch((await bob.get("/notes")).body, /Plans/);
  for (const response of [
    await bob.get(path),
    await bob.get(`${path}/edit`),
    await bob.put(path, { title: "Mine", body: "" }),
    await bob.delete(path),
  ])
    assert.equal(response.status, 404);
  await ada.get(`${path}/edit`);
  assert.equal((await ada.put(path, { title: "Changed", body: "" })).location, path);
  assert.equal((await ada.delete(path)).location, "/notes");
  assert.match((await ada.get("/notes")).body, /No notes yet/);
});

test("an API client reads and writes notes until its token is revoked", async () => {
  const ada = await newMember("ada@example.com");
  await ada.get("/account");
  const page = await ada.post("/account/tokens");
  const token = /lmt_[\w-]{49}/.exec(page.body)?.[0] ?? "";
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const created = await app.request("/api/notes", {
    method: "POST",
    headers,
    body: JSON.stringify({ title: "From an API client", body: "" }),
  });
  assert.equal(created.status, 201);
  const listed = (await (await app.request("/api/notes", { headers })).json()) as { readonly total: number };
  assert.equal(listed.total, 1);
  assert.equal((await app.request("/api/notes")).status, 401);
  const revoke = /action="(\/account\/tokens\/[^"]+\/revoke)"/.exec((await ada.get("/account")).body)?.[1] ?? "";
  await ada.post(revoke);
  assert.equal((await app.request("/api/notes", { headers })).status, 401);
});

test("the OpenAPI document lists all operations, with bearer authentication", async () => {
  const { paths } = (await (await app.request("/openapi.json")).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security: unknown }>>>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => [`${method} ${path}`, security]),
  );
  const names = [
    "get /api/notes",
    "post /api/notes",
    ...["get", "put", "patch", "delete"].map((method) => `${method} /api/notes/{id}`),
  ];
  assert.deepEqual(
    operations,
    names.map((name) => [name, [{ bearer: [] }]]),
  );
});

test("changing the password logs out all other devices", async () => {
  const thisDevice = await newMember("ada@example.com");
  const otherDevice = visitor(app);
  await otherDevice.get("/login");
  await otherDevice.post("/login", { email: "ada@example.com", password });
  assert.equal((await otherDevice.get("/notes")).status, 200);
  await thisDevice.get("/account");
  const { body } = await thisDevice.post("/account/tokens");
  const authorization = `Bearer ${/lmt_[\w-]{49}/.exec(body)?.[0]}`;
  assert.equal((await app.request("/api/notes", { headers: { authorization } })).status, 200);
  await thisDevice.get("/account");
  const changed = await thisDevice.post("/account/password", {
    old: password,
    password: "a meadow of dogs",
    confirmation: "a meadow of dogs",
  });
  assert.equal(changed.location, "/account");
  assert.equal((await thisDevice.get("/notes")).status, 200);
  assert.equal((await otherDevice.get("/notes")).status, 303);
  assert.equal((await app.request("/api/notes", { headers: { authorization } })).status, 401);
  await queue.runDue();
  assert.equal(email.inbox.to("ada@example.com")[0]?.subject, "Your password has changed");
});

test("one device logs out another one, or all others", async () => {
  const thisDevice = await newMember("ada@example.com");
  const otherDevices = [visitor(app), visitor(app), visitor(app)];
  for (const device of otherDevices) {
    await device.get("/login");
    await device.post("/login", { email: "ada@example.com", password });
  }
  const loggedInDevices = async (): Promise<number> =>
    (await Promise.all(otherDevices.map((device) => device.get("/notes")))).filter(({ status }) => status === 200)
      .length;
  const endPath =
    /action="(\/account\/sessions\/[\w-]+\/end)"/.exec((await thisDevice.get("/account")).body)?.[1] ?? "";
  await thisDevice.post(endPath);
  assert.equal(await loggedInDevices(), 2);
  await thisDevice.post("/account/sessions/end");
  assert.equal(await loggedInDevices(), 0);
  assert.equal((await thisDevice.get("/notes")).status, 200);
});

test("the link in an e-mail resets a forgotten password", async (t) => {
  await newMember("ada@example.com");
  const ada = visitor(app);
  await ada.get("/password-reset");
  await ada.follow(await ada.post("/password-reset", { email: "ada@example.com" }));
  // The e-mail is queued after the response, so that response times do not reveal accounts.
  const link = await waitFor(async () => {
    await queue.runDue();
    const mail = email.inbox.to("ada@example.com").find(({ text }) => text.includes("/password-reset/new"));
    return /\/password-reset\/new\?token=[\w-]+/.exec(mail?.text ?? "")?.[0];
  }, t);
  const form = await ada.get(link);
  const token = /name="token"[^>]*value="([^"]+)"/.exec(form.body)?.[1] ?? "";
  const reset = await ada.post("/password-reset/new", {
    token,
    password: "a meadow of owls",
    confirmation: "a meadow of owls",
  });
  assert.equal(reset.location, "/password-reset/done");
  assert.ok((await user.login("ada@example.com", "a meadow of owls")).ok);
  assert.equal((await ada.get(link)).status, 410);
});

test("all authors of the week get one digest", async () => {
  const ada = await newMember("ada@example.com");
  await newMember("bob@example.com");
  await ada.get("/notes/new");
  await ada.post("/notes", { title: "One", body: "" });
  await ada.post("/notes", { title: "Two", body: "" });
  assert.equal(await dispatchWeeklyDigests(Time.now()), 1);
  await queue.runDue();
  const subjects = (address: string): readonly string[] => email.inbox.to(address).map(({ subject }) => subject);
  assert.deepEqual(subjects("ada@example.com"), ["Your week: 2 new notes", "Welcome to Notes"]);
  assert.deepEqual(subjects("bob@example.com"), ["Welcome to Notes"]);
});

test("only admins see the queue dashboard", async () => {
  const ada = await newMember("ada@example.com");
  assert.equal((await ada.get("/admin/queue")).status, 403);
  await user.setAdmin(await user.findByEmail("ada@example.com"), true);
  assert.equal((await ada.get("/admin/queue")).status, 200);
});
