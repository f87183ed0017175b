import assert from "node:assert/strict";
import { type Visitor, visitor } from "limmat/testing";
import { app } from "../run/run.ts";
import { email, passwordReset, queue, user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const address = "ada@example.com";
const password = "a meadow of cats";
const otherPassword = "a meadow of dogs";

/** Returns a visitor who has just registered. */
async function register(): Promise<Visitor> {
  const ada = visitor(app);
  await ada.get("/register");
  const response = await ada.post("/register", { email: address, password, confirmation: password });
  assert.equal(response.location, "/account");
  return ada;
}

/** Returns the same user on another device. */
async function logIn(): Promise<Visitor> {
  const ada = visitor(app);
  await ada.get("/login");
  assert.equal((await ada.post("/login", { email: address, password })).location, "/account");
  return ada;
}

/** Returns the path and the token of the link in the newest e-mail to a recipient. */
async function newestLink(recipient: string): Promise<{ readonly path: string; readonly token: string }> {
  await queue.runDue();
  const texts = email.inbox.to(recipient).map(({ text }) => text);
  const { pathname, search, searchParams } = new URL(/http\S+/.exec(texts.join(" "))?.[0] ?? "");
  return { path: pathname + search, token: searchParams.get("token") ?? "" };
}

const isLoggedIn = async (device: Visitor): Promise<boolean> => (await device.get("/account")).status === 200;

test("registration logs in", async () => {
  const ada = await register();
  const page = await ada.get("/account");
  assert.match(page.body, /role="status">Welcome!</);
  assert.match(page.body, /You are logged in as ada@example\.com/);
});

test("the header leads guests to the login, and logs users out", async () => {
  const ada = await register();
  assert.match((await visitor(app).get("/login")).body, /<header>[^]*href="\/login"[^]*<\/header>/);
  assert.match((await ada.get("/account")).body, /<header>[^]*ada@example\.com[^]*Log out[^]*<\/header>/);
});

test("the account page redirects guests to the login page, and login redirects back", async () => {
  await register();
  const ada = visitor(app);
  const { location = "" } = await ada.get("/account?tab=2");
  assert.equal(location, "/login?return_to=%2Faccount%3Ftab%3D2");
  await ada.get(location);
  assert.equal((await ada.post(location, { email: address, password })).location, "/account?tab=2");
});

test("changing the password requires the current one and logs out all other devices", async () => {
  const [laptop, phone] = [await register(), await logIn()];
  await laptop.get("/account");
  const change = { old: "wrong", password: otherPassword, confirmation: otherPassword };
  assert.match((await laptop.post("/account/password", change)).body, /<p class="error" id="old-error">[^<]+</);
  assert.equal((await laptop.post("/account/password", { ...change, old: password })).location, "/account");
  assert.deepEqual([await isLoggedIn(laptop), await isLoggedIn(phone)], [true, false]);
  assert.ok((await user.login(address, otherPassword)).ok);
  await queue.runDue();
  assert.equal(email.inbox.to(address)[0]?.subject, "Your password has changed");
});

test("the link in an e-mail resets a forgotten password once", async () => {
  await register();
  const ada = visitor(app);
  assert.match((await ada.get("/login")).body, /href="\/password-reset"/);
  assert.equal((await ada.get("/password-reset")).status, 200);
  await passwordReset.sendResetLink(address);
  const { path, token } = await newestLink(address);
  assert.equal((await ada.get(path)).status, 200);
  const form = { token, password: otherPassword, confirmation: otherPassword };
  assert.equal((await ada.post("/password-reset/new", form)).location, "/password-reset/done");
  assert.ok((await user.login(address, otherPassword)).ok);
  assert.equal((await ada.get(path)).status, 410);
});

test("the link in an e-mail confirms the address after a click on the button", async () => {
  const ada = await register();
  assert.match((await ada.get("/account")).body, /Confirm your e-mail address/);
  const { path, token } = await newestLink(address);
  assert.match((await ada.get(path)).body, /ada@example\.com/);
  assert.equal((await user.findByEmail(address)).confirmed, false);
  assert.equal((await ada.post("/account/email/confirm", { token })).location, "/account");
  assert.equal((await user.findByEmail(address)).confirmed, true);
  assert.doesNotMatch((await ada.get("/account")).body, /Confirm your e-mail address/);
  assert.equal((await ada.get(path)).status, 410);
});

test("deleting the account requires the password and logs out all devices", async () => {
  const [laptop, phone] = [await register(), await logIn()];
  assert.equal((await laptop.get("/account/delete")).status, 200);
  const rejected = await laptop.post("/account/delete", { password: "wrong" });
  assert.match(rejected.body, /<p class="error" id="password-error">[^<]+</);
  assert.ok(await isLoggedIn(phone));
  const deleted = await laptop.post("/account/delete", { password });
  assert.equal(deleted.status, 303);
  assert.deepEqual([await isLoggedIn(laptop), await isLoggedIn(phone)], [false, false]);
  assert.equal(await user.findByEmailOpt(address), undefined);
});
