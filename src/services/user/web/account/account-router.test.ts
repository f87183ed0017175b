// Pages of accounts: registration, login, devices, password, e-mail address and deletion.
import assert from "node:assert/strict";
import { after, before, test as nodeTest } from "node:test";
import {
  Account,
  App,
  Configuration,
  Email,
  error,
  Language,
  Migration,
  ok,
  PasswordReset,
  Queue,
  Schema,
  Token,
  User,
  Web,
} from "limmat";
import { ConfigurationInternals } from "../../../../config/index.ts";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { de } from "limmat/language/de";
import { fr } from "limmat/language/fr";
import { rolledBack, type Visitor, visitor } from "limmat/testing";

const database = sqlite();
const queue = Queue.sql({ database });
const email = Email.queued({ queue, email: Email.memory() });
const tokens = Token.sql({ database });
const user = User.service({ database });
const account = Account.service({ database, token: tokens, user, email });
const passwordReset = PasswordReset.service({ token: tokens, user, email });
const migration = Migration.service({ database, migrations: [], onPending: "run" });

const layout = (_: Web.Request, title: string, content: unknown) => html`<title>${title}</title>${content as string}`;

const makeApp = <Input extends User.Registration>(
  options: Partial<User.Web.AccountRouterOptions<Input>> = {},
  middlewares: readonly Web.Middleware[] = [],
) => {
  const pages = User.Web.accountRouter({ account, user, layout, ...options });
  const router = Web.choose([pages, PasswordReset.Web.router({ passwordReset, loginPath: "/login" })]);
  const http = Web.Http.service({ router, middlewares });
  return App.create({ services: [migration, queue, email, account, passwordReset, http] });
};
const app = makeApp();

before(async () => {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["DATABASE_URL", ":memory:"],
    ["CHECK_CSRF", "true"],
    ["LOG_LEVEL", "error"],
    ["PASSWORD_MEMORY", "8"],
    ["PASSWORD_PASSES", "1"],
    ["APP_URL", "http://localhost:3000"],
  ]);
  await app.start({ server: false });
  await migration.runAll();
});
after(async () => {
  await app.stop();
  ConfigurationInternals.reset();
});

const test = (name: string, body: () => Promise<void>): void => void nodeTest(name, () => rolledBack(database, body));

const address = "ada@example.com";
const password = "a meadow of cats";
const otherPassword = "a meadow of dogs";
const newAddress = "countess@example.com";

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
  assert.match(page.body, /You are logged in as ada@example\.com/);
});

test("login, registration and a new password keep the values of the session that the application names", async () => {
  const layoutWithCart: User.Web.AccountRouterOptions["layout"] = (request, title, content) =>
    html`<title>${title}</title>
      <p>Cart: ${Web.Session.find("cart", request) ?? "none"}, ${Web.Session.find("seen", request) ?? "none"}</p>
      ${content}`;
  const pages = User.Web.accountRouter({ account, user, layout: layoutWithCart, keep: ["cart"] });
  const fill = Web.get(
    "/fill",
    () => {
      const pairs = [
        ["cart", "3 chairs"],
        ["seen", "chair"],
      ] as const;
      return Web.Session.update(pairs, Web.Response.text(""));
    },
    { middlewares: Web.Middleware.site() },
  );
  const shop = App.create({ services: [Web.Http.service({ router: Web.choose([pages, fill]) })] });
  const input = { email: address, password, confirmation: password };
  const ada = visitor(shop);
  await ada.get("/fill");
  await ada.get("/register");
  await ada.post("/register", input);
  assert.match((await ada.get("/account")).body, /Cart: 3 chairs, none/);
  await ada.post("/account/password", { old: password, password: otherPassword, confirmation: otherPassword });
  assert.match((await ada.get("/account")).body, /Cart: 3 chairs, none/);
  await ada.post("/logout");
  assert.match((await ada.get("/login")).body, /Cart: none, none/);
  await ada.get("/fill");
  await ada.get("/login");
  await ada.post("/login", { email: address, password: otherPassword });
  assert.match((await ada.get("/account")).body, /Cart: 3 chairs, none/);
});

test("a layout shows the user on all pages of accounts", async () => {
  const layoutWithUser: User.Web.AccountRouterOptions["layout"] = (request, _, content) =>
    html`<header>${User.Web.current(request)?.email ?? "Guest"}</header>
      ${content}`;
  const pages = User.Web.accountRouter({ account, user, layout: layoutWithUser });
  const ada = visitor(App.create({ services: [Web.Http.service({ router: pages })] }));
  assert.match((await ada.get("/register")).body, /<header>Guest</);
  await ada.post("/register", { email: address, password, confirmation: password });
  for (const path of ["/account", "/account/email", "/account/delete", "/login"])
    assert.match((await ada.get(path)).body, /<header>ada@example\.com</, path);
});

test("errors are shown next to their fields, and passwords are not filled in again", async () => {
  await register();
  const bob = visitor(app);
  await bob.get("/register");
  const page = await bob.post("/register", { email: "ADA@example.com", password: "short", confirmation: "other" });
  assert.equal(page.status, 422);
  for (const field of ["email", "password", "confirmation"])
    assert.match(page.body, new RegExp(`<p class="error" id="${field}-error">[^<]+<`));
  assert.match(page.body, /value="ADA@example\.com"/);
  assert.doesNotMatch(page.body, /value="(?:short|other)"/);
});

test("the account page redirects guests to the login page, and login redirects back", async () => {
  await register();
  const ada = visitor(app);
  const { location = "" } = await ada.get("/account?tab=2");
  assert.equal(location, "/login?return_to=%2Faccount%3Ftab%3D2");
  await ada.get(location);
  assert.equal((await ada.post(location, { email: address, password })).location, "/account?tab=2");
});

test("an unknown address and a wrong password have the same error message", async () => {
  await register();
  const eve = visitor(app);
  await eve.get("/login");
  const errorMessage = async (loginAddress: string): Promise<string | undefined> => {
    const page = await eve.post("/login", { email: loginAddress, password: otherPassword });
    assert.equal(page.status, 422);
    return /role="alert"[^]*?<p>([^<]+)</.exec(page.body)?.[1];
  };
  const message = await errorMessage(address);
  assert.ok(message !== undefined);
  assert.equal(await errorMessage("nobody@example.com"), message);
});

test("logout ends the session of this device only", async () => {
  const [laptop, phone] = [await register(), await logIn()];
  await laptop.get("/account");
  assert.equal((await laptop.post("/logout")).location, "/login");
  assert.deepEqual([await isLoggedIn(laptop), await isLoggedIn(phone)], [false, true]);
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

test("the account page lists devices, and logs out one of them or all others", async () => {
  const [laptop, phone, tablet, watch] = [await register(), await logIn(), await logIn(), await logIn()];
  const { body } = await laptop.get("/account");
  assert.equal(body.match(/<th scope="row">\s*Unknown device/g)?.length, 4);
  assert.equal(body.match(/This device/g)?.length, 1);
  const [endPath = ""] = /\/account\/sessions\/[\w-]+\/end/.exec(body) ?? [];
  assert.equal((await laptop.post(endPath)).location, "/account");
  const otherDevices = async (): Promise<readonly boolean[]> => Promise.all([phone, tablet, watch].map(isLoggedIn));
  assert.equal((await otherDevices()).filter((isActive) => isActive).length, 2);
  assert.equal((await laptop.post("/account/sessions/end")).location, "/account");
  assert.deepEqual(await otherDevices(), [false, false, false]);
  assert.ok(await isLoggedIn(laptop));
});

test("the account page names a device in the language of the visitor", async () => {
  const language = Language.make("en", { en: {}, de: {}, fr: {} }, { framework: { de, fr } });
  const site = makeApp({}, [Web.Middleware.language(language)]);
  await register();
  for (const [tag, name] of [
    ["en", "Firefox on Windows"],
    ["de", "Firefox auf Windows"],
    ["fr", "Firefox sur Windows"],
  ] as const) {
    const ada = visitor({
      request: (path, init) => {
        const headers = new Headers(init?.headers);
        headers.set("user-agent", "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0");
        headers.set("accept-language", tag);
        return site.request(path, { ...init, headers });
      },
    });
    await ada.get("/login");
    await ada.post("/login", { email: address, password });
    const { body } = await ada.get("/account");
    assert.match(body, new RegExp(`<th scope="row">\\s*${name}\\s*<`));
  }
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

test("a confirmation link redirects guests to the login page, and login redirects back", async () => {
  await register();
  const { path } = await newestLink(address);
  const phone = visitor(app);
  const { location = "" } = await phone.get(path);
  await phone.get(location);
  assert.equal((await phone.post(location, { email: address, password })).location, path);
  assert.equal((await phone.get(path)).status, 200);
});

test("a confirmation link is invalid for other users", async () => {
  await register();
  const { path, token } = await newestLink(address);
  const eve = visitor(app);
  await eve.get("/register");
  await eve.post("/register", { email: "eve@example.com", password, confirmation: password });
  assert.equal((await eve.get(path)).status, 410);
  await eve.get("/account");
  assert.equal((await eve.post("/account/email/confirm", { token })).status, 410);
  assert.equal((await user.findByEmail(address)).confirmed, false);
});

test("a new confirmation link replaces the previous one, and requests are limited", async () => {
  const ada = await register();
  const first = await newestLink(address);
  await ada.get("/account");
  const requestLink = async (): Promise<number> => (await ada.post("/account/email/link")).status;
  assert.equal(await requestLink(), 303);
  assert.equal((await ada.get(first.path)).status, 410);
  assert.equal((await ada.get((await newestLink(address)).path)).status, 200);
  await ada.get("/account");
  const statuses = [];
  for (let count = 0; count < 10; count++) statuses.push(await requestLink());
  assert.equal(statuses.at(-1), 429);
});

test("a new address replaces the current one when its link is confirmed", async () => {
  const [laptop, phone] = [await register(), await logIn()];
  await laptop.get("/account/email");
  const change = { email: newAddress, password: "wrong" };
  assert.match((await laptop.post("/account/email", change)).body, /<p class="error" id="password-error">[^<]+</);
  assert.equal((await laptop.post("/account/email", { ...change, password })).location, "/account");
  const { path, token } = await newestLink(newAddress);
  assert.match((await laptop.get("/account")).body, /You are logged in as ada@example\.com/);
  assert.match((await laptop.get(path)).body, /countess@example\.com/);
  assert.equal((await laptop.post("/account/email/confirm", { token })).location, "/account");
  assert.match((await laptop.get("/account")).body, /You are logged in as countess@example\.com/);
  assert.deepEqual([await isLoggedIn(laptop), await isLoggedIn(phone)], [true, false]);
  assert.equal((await user.findByEmail(newAddress)).confirmed, true);
  await queue.runDue();
  assert.match(email.inbox.to(address)[0]?.subject ?? "", /has changed/);
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

test("the registration has fields of the application, and another view can replace a page", async () => {
  const schema = Schema.record({ name: Schema.string(), ...User.Web.registrationFields });
  const other = makeApp({
    registration: { schema, fields: { name: { hint: "Your teams see it" } } },
    links: { "/account/profile": "Edit your profile" },
    views: { login: () => ({ title: "Anmelden", content: html`<p>Willkommen</p>` }) },
  });
  const grace = visitor(other);
  assert.match((await grace.get("/register")).body, /Your teams see it/);
  assert.equal((await grace.post("/register", { email: address, password, confirmation: password })).status, 422);
  const form = { name: "Grace", email: address, password, confirmation: password };
  assert.equal((await grace.post("/register", form)).location, "/account");
  assert.equal((await user.findByEmail(address)).name, "Grace");
  assert.match((await grace.get("/account")).body, /href="\/account\/profile">Edit your profile</);
  assert.match((await visitor(other).get("/login")).body, /<title>Anmelden<\/title><p>Willkommen/);
});

test("login and registration link to each other with the address and the page to return to", async () => {
  const query = "email=ada%40example.com&return_to=%2Faccount%3Ftab%3D2";
  // Its own limit of registrations.
  const own = makeApp();
  const ada = visitor(own);
  const login = await ada.get(`/login?${query}`);
  assert.match(login.body, /name="email"[^>]* value="ada@example\.com"/);
  const [, registration = ""] = /href="([^"]*\/register[^"]*)"/.exec(login.body) ?? [];
  assert.equal(registration, `/register?${query.replace("&", "&amp;")}`);
  const page = await ada.get(`/register?${query}`);
  assert.match(page.body, /name="email"[^>]* value="ada@example\.com"/);
  assert.ok(page.body.includes(`href="/login?${query.replace("&", "&amp;")}"`));
  const form = { email: address, password, confirmation: password };
  assert.equal((await ada.post(`/register?${query}`, form)).location, "/account?tab=2");
  const away = visitor(own);
  await away.get("/register");
  const elsewhere = { ...form, email: newAddress };
  assert.equal((await away.post("/register?return_to=//evil.example", elsewhere)).location, "/account");
});

test("a check can refuse to delete the account", async () => {
  const ada = await register();
  const { id } = await user.findByEmail(address);
  user.registerChecks(async (person) => (person.id === id ? error("Pay first") : ok()));
  await ada.get("/account/delete");
  const refused = await ada.post("/account/delete", { password });
  assert.equal(refused.status, 422);
  assert.match(refused.body, /Pay first/);
  assert.ok(await isLoggedIn(ada));
});
