// The example of the guide's pages on users, visited with a browser-like client.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../sources.ts";
import { cheap } from "./fixture.ts";

const visit = `
import assert from "node:assert/strict";
import { visitor } from "limmat/testing";

await app.start({ server: false });
await Migration.service({ database, migrations: tokens.migrations }).runAll();
await migration.runAll();
assert.equal((await app.request("/account", { headers: { accept: "application/json" } })).status, 401);
const routers = [router, registration, admin];
const site = App.create({ services: [user, Web.Http.service({ router: Web.choose(routers) })] });
const heidi = visitor(site);
const password = "a fine long password";

const away = await heidi.get("/account?tab=2");
assert.equal(away.location, "/login?return_to=%2Faccount%3Ftab%3D2");
await heidi.follow(away);
const unknown = await heidi.post(away.location, { email: "heidi@example.com", password });
assert.equal(unknown.status, 422);
assert.match(unknown.body, /role="alert">The e-mail address or the password is wrong/);
assert.match(unknown.body, /value="heidi@example.com"/);
assert.ok(!unknown.body.includes(password));

await heidi.get("/register");
const wrong = await heidi.post("/register", { email: "heidi", password: "short", confirmation: "other" });
assert.equal(wrong.status, 422);
for (const text of ["enter an e-mail address", "at least 8 characters", "same password twice"]) {
  assert.ok(wrong.body.includes(text), text);
}
const registered = await heidi.post("/register", { email: "heidi@example.com", password, confirmation: password });
assert.equal(registered.location, "/account");
assert.match((await heidi.follow(registered)).body, /You are heidi@example.com/);
assert.equal((await heidi.get("/admin")).status, 403);
const copy = [...heidi.cookies].map((pair) => pair.join("=")).join("; ");
await heidi.get("/account");
assert.equal((await heidi.post("/logout")).location, "/login");
assert.equal((await site.request("/account", { headers: { cookie: copy, accept: "text/html" } })).status, 303);

await heidi.get(away.location);
const back = await heidi.post(away.location, { email: "HEIDI@example.com", password });
assert.equal(back.location, "/account?tab=2");
await user.setAdmin(await user.findByEmail("heidi@example.com"), true);
assert.match((await heidi.get("/admin")).body, /Only admins see this page/);

const list = Web.choose([Web.get("/devices", devices)], {
  middlewares: [...Web.Middleware.site(), User.Web.middleware(user)],
});
const cookie = [...heidi.cookies].map((pair) => pair.join("=")).join("; ");
const seen = await App.create({ services: [user, Web.Http.service({ router: list })] }).request("/devices", {
  headers: { cookie },
});
assert.match(await seen.text(), /<li>Unknown device, this device<.li>/);

assert.equal(shortSessionSite.length, Web.Middleware.site().length);
assert.ok(shortSessionSite.includes(session) && !Web.Middleware.site().includes(session));

const me = await user.findByEmail("heidi@example.com");
assert.ok(mayChange({ user_id: me.id }, me).ok);
assert.equal(mayChange({ user_id: "x" }, { ...me, admin: false }).error, "Only its owner can change it.");
const programs = App.create({ services: [user, Web.Http.service({ router: api })] });
ownersByToken.set("secret", me.id);
const answer = await programs.request("/api/me", { headers: { authorization: "Bearer secret" } });
assert.equal((await answer.json()).email, "heidi@example.com");

const mailed = App.create({ services: [accounts, Web.Http.service({ router: Web.choose([...routers, confirmation]) })] });
const reader = visitor(mailed);
const { inbox } = accounts.dependencies().find(({ name }) => name === "email");
const linkTo = (address) => {
  const { pathname, search } = new URL(/http\\S+/.exec(inbox.to(address)[0].text)[0]);
  return pathname + search;
};
await reader.get("/login");
await reader.post("/login", { email: "heidi@example.com", password });
assert.equal((await reader.get("/invite")).location, "/account");
await reader.get("/account");
assert.equal((await reader.post("/account/email/link")).location, "/account");
const link = linkTo("heidi@example.com");
assert.match((await reader.get(link)).body, /Confirm heidi@example.com/);
assert.equal((await user.find(me.id)).confirmed, false);
assert.equal((await reader.post(link)).location, "/account");
assert.equal((await reader.get("/invite")).status, 200);
assert.equal((await reader.get(link)).status, 410);
const now = await user.find(me.id);
assert.equal(await requestChange(now, { email: "x", password: "wrong" }), "Please enter an e-mail address. This is not your current password.");
assert.equal(await requestChange(now, { email: "clara@example.com", password }), "We sent a link to clara@example.com.");
await reader.get("/account");
assert.equal((await reader.post(linkTo("clara@example.com"))).location, "/account");
assert.match((await reader.get("/account")).body, /You are clara@example.com/);
const samePassword = { old: password, password, confirmation: password };
const changing = Web.choose([Web.post("/password", (request) => changePassword(request, samePassword))], {
  middlewares: [...Web.Middleware.site(), User.Web.middleware(user)],
});
const changer = visitor(App.create({ services: [accounts, Web.Http.service({ router: Web.choose([router, changing]) })] }));
await changer.get("/login");
await changer.post("/login", { email: "clara@example.com", password });
await changer.get("/account");
assert.equal((await changer.post("/password")).location, "/account");
assert.match(inbox.to("clara@example.com")[0].text, /password of your account was changed/);
assert.equal((await reader.get("/account")).status, 303);
await database.exec(sql\`create table api_keys (user_id text)\`);
await assert.rejects(removeApiKeys(now), { code: "E_USER_CHANGED" });
await removeApiKeys(await user.find(me.id));
await database.exec(sql\`create table orders (id integer, user_id text, status text)\`);
await database.exec(sql\`insert into orders values (1, \${now.id}, 'open')\`);
assert.deepEqual((await accounts.deleteAccount(now, password)).error, { user: "Please wait until your orders are delivered" });
await database.exec(sql\`update orders set status = 'delivered'\`);
assert.equal((await accounts.deleteAccount(now, password)).ok, true);
assert.equal((await reader.get("/account")).status, 303);
await app.stop();
`;

const pages = ["users", "login", "registration-and-accounts", "sessions-and-devices", "authorization"];

test("the example of the guide's pages on users works", async () => {
  const blocks = pages.flatMap((name) => {
    const page = readFileSync(join(root, `docs/guide/${name}.md`), "utf8");
    return [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code);
  });
  assert.ok(blocks.length > 10);
  await promisify(execFile)(
    process.execPath,
    ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", [...blocks, visit].join("\n")],
    { cwd: root, env: { ...process.env, ...cheap, FRAMEWORK_ENV: "test", CHECK_CSRF: "true", LOG_LEVEL: "error" } },
  );
});

test("the examples of the guide's page on passwords work", async () => {
  const page = readFileSync(join(root, "docs/guide/passwords.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code ?? "");
  // Each block is a module of its own.
  const checks = [
    `
assert.ok(await Password.verify("a fine long password", await Password.hash("a fine long password")));
`,
    `
assert.match(await policy("correct horse battery staple", {}), /data breach/);
assert.match(await policy("short", {}), /at least 8 characters/);
assert.equal(await policy("a fine long password", {}), undefined);
assert.equal(user.name, "user");
`,
  ];
  assert.equal(blocks.length, checks.length);
  for (const [index, block] of blocks.entries()) {
    await promisify(execFile)(
      process.execPath,
      [
        "--conditions=@limmat/source",
        "--input-type=module-typescript",
        "-e",
        `import assert from "node:assert/strict";\n${block}${checks[index] ?? ""}`,
      ],
      { cwd: root, env: { ...process.env, ...cheap, FRAMEWORK_ENV: "test", LOG_LEVEL: "error" } },
    );
  }
});
