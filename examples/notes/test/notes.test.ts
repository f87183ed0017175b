import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Cleaner, Configuration, Time, type User } from "limmat";
import { visitor, type Visitor } from "limmat/testing";
import { dispatchDigests } from "../app/domain/digest/digest.ts";
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

/** Somebody who is logged in. */
async function member(address: string): Promise<Visitor> {
  const person = visitor(app);
  await person.get("/register");
  const registered = await person.post("/register", { email: address, password, confirmation: password });
  assert.equal(registered.location, "/notes");
  await person.get("/notes");
  return person;
}

const found = async (address: string): Promise<User.User> => user.findByEmail(address);

test("who registers is greeted, and gets a mail", async () => {
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

test("who is not logged in is led to the log-in page, and back to where they wanted", async () => {
  await member("ada@example.com");
  const ada = visitor(app);
  const asked = await ada.get("/notes/new");
  assert.equal(asked.location, "/login?return_to=%2Fnotes%2Fnew");
  await ada.follow(asked);
  const refused = await ada.post(asked.location ?? "", { email: "ada@example.com", password: "another" });
  assert.equal(refused.status, 422);
  const entered = await ada.post(asked.location ?? "", { email: "ADA@example.com", password });
  assert.equal(entered.location, "/notes/new");
});

test("notes are seen, changed and deleted by their owner alone", async () => {
  const [ada, bob] = [await member("ada@example.com"), await member("bob@example.com")];
  await ada.get("/notes/new");
  const list = await ada.follow(await ada.post("/notes", { title: "Plans", body: "None of your business" }));
  const path = /href="(\/notes\/[0-9a-f-]{36})"/.exec(list.body)?.[1] ?? "";
  assert.match((await ada.get(path)).body, /None of your business/);
  assert.doesNotMatch((await bob.get("/notes")).body, /Plans/);
  for (const answer of [
    await bob.get(path),
    await bob.get(`${path}/edit`),
    await bob.put(path, { title: "Mine", body: "" }),
    await bob.delete(path),
  ])
    assert.equal(answer.status, 404);
  await ada.get(`${path}/edit`);
  assert.equal((await ada.put(path, { title: "Changed", body: "" })).location, path);
  assert.equal((await ada.delete(path)).location, "/notes");
  assert.match((await ada.get("/notes")).body, /Nothing written yet/);
});

test("a program reads and writes notes with a token, until it is revoked", async () => {
  const ada = await member("ada@example.com");
  await ada.get("/account");
  const page = await ada.post("/account/tokens");
  const token = /lmt_[\w-]{49}/.exec(page.body)?.[0] ?? "";
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const created = await app.request("/api/notes", {
    method: "POST",
    headers,
    body: JSON.stringify({ title: "From a program", body: "" }),
  });
  assert.equal(created.status, 201);
  const listed = (await (await app.request("/api/notes", { headers })).json()) as { readonly total: number };
  assert.equal(listed.total, 1);
  assert.equal((await app.request("/api/notes")).status, 401);
  const revoke = /action="(\/account\/tokens\/[^"]+\/revoke)"/.exec((await ada.get("/account")).body)?.[1] ?? "";
  await ada.post(revoke);
  assert.equal((await app.request("/api/notes", { headers })).status, 401);
});

test("the document of the interface names its operations, for who has a token", async () => {
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

test("another password ends the sessions of other devices, not this one", async () => {
  const here = await member("ada@example.com");
  const there = visitor(app);
  await there.get("/login");
  await there.post("/login", { email: "ada@example.com", password });
  assert.equal((await there.get("/notes")).status, 200);
  await here.get("/account");
  const changed = await here.post("/account/password", {
    old: password,
    password: "a meadow of dogs",
    confirmation: "a meadow of dogs",
  });
  assert.equal(changed.location, "/account");
  assert.equal((await here.get("/notes")).status, 200);
  assert.equal((await there.get("/notes")).status, 303);
});

test("a device is logged out from another one, and all others at once", async () => {
  const here = await member("ada@example.com");
  const others = [visitor(app), visitor(app), visitor(app)];
  for (const person of others) {
    await person.get("/login");
    await person.post("/login", { email: "ada@example.com", password });
  }
  const loggedIn = async (): Promise<number> =>
    (await Promise.all(others.map((person) => person.get("/notes")))).filter(({ status }) => status === 200).length;
  const end = /action="(\/account\/sessions\/[\w-]+\/end)"/.exec((await here.get("/account")).body)?.[1] ?? "";
  await here.post(end);
  assert.equal(await loggedIn(), 2);
  await here.post("/account/sessions/end");
  assert.equal(await loggedIn(), 0);
  assert.equal((await here.get("/notes")).status, 200);
});

test("a forgotten password is set anew by the link in a mail", async () => {
  await member("ada@example.com");
  const ada = visitor(app);
  await ada.get("/password-reset");
  await ada.follow(await ada.post("/password-reset", { email: "ada@example.com" }));
  const link = await until(async () => {
    await queue.runDue();
    const mail = email.inbox.to("ada@example.com").find(({ text }) => text.includes("/password-reset/new"));
    return /\/password-reset\/new\?token=[\w-]+/.exec(mail?.text ?? "")?.[0];
  });
  const form = await ada.get(link);
  const token = /name="token"[^>]*value="([^"]+)"/.exec(form.body)?.[1] ?? "";
  const set = await ada.post("/password-reset/new", {
    token,
    password: "a meadow of owls",
    confirmation: "a meadow of owls",
  });
  assert.equal(set.location, "/password-reset/done");
  assert.ok((await user.login("ada@example.com", "a meadow of owls")).ok);
  assert.equal((await ada.get(link)).status, 410);
});

/** The mail is put into the queue after the answer, so that its time tells nothing: asks until it is there. */
async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  const end = AbortSignal.timeout(60_000);
  for (;;) {
    const there = await find();
    if (there !== undefined) return there;
    end.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("everybody who wrote this week gets one mail about it", async () => {
  const ada = await member("ada@example.com");
  await member("bob@example.com");
  await ada.get("/notes/new");
  await ada.post("/notes", { title: "One", body: "" });
  await ada.post("/notes", { title: "Two", body: "" });
  assert.equal(await dispatchDigests(Time.now()), 1);
  await queue.runDue();
  const subjects = (address: string): readonly string[] => email.inbox.to(address).map(({ subject }) => subject);
  assert.deepEqual(subjects("ada@example.com"), ["Your week: 2 new notes", "Welcome to Notes"]);
  assert.deepEqual(subjects("bob@example.com"), ["Welcome to Notes"]);
});

test("the queue is shown to admins only", async () => {
  const ada = await member("ada@example.com");
  assert.equal((await ada.get("/admin/queue")).status, 403);
  await user.setAdmin(await found("ada@example.com"), true);
  assert.equal((await ada.get("/admin/queue")).status, 200);
});
