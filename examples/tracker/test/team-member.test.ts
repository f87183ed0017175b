import assert from "node:assert/strict";
import { type Context, Time } from "limmat";
import { fakeClock, runCommand, type Visitor, visitor } from "limmat/testing";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Members from "../app/domain/team/members.ts";
import * as Team from "../app/domain/team/team.ts";
import * as TeamFactory from "./factory/team.ts";
import { app } from "../run/run.ts";
import { account, email as mailer, queue, user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const { password } = TeamFactory;
const role = "member";

/** Stores a team with a member, and returns the contexts of its admin, of the member and of a stranger. */
async function team() {
  const { ctx: admin = [] } = await TeamFactory.context();
  const { id } = await TeamFactory.make({}, { ctx: admin });
  const params = { team: id };
  await confirm(admin);
  return {
    params,
    path: `/teams/${id}/members`,
    admin,
    member: await TeamFactory.join(id, "member"),
    stranger: await TeamFactory.newUserContext(),
    invite: async (email: string, as: Members.Input["role"] = role) => {
      const invited = await Members.insert({ email, role: as }, { params, ctx: admin });
      return invited.ok ? invited.value : assert.fail();
    },
    count: async (ctx: Context) => (await Members.search({}, { params, ctx }))[1],
    find: async (ctx: Context) => {
      const [members] = await Members.search({}, { params, ctx: admin });
      return members.find(({ user_id }) => user_id === actingUser({ ctx }).id) ?? assert.fail();
    },
  };
}

const personOf = (ctx: Context) => user.find(actingUser({ ctx }).id);

/** Confirms the address of a user, and returns the user. */
const confirm = async (ctx: Context) => user.confirm(await personOf(ctx));

/** Returns a visitor who is logged in as the user of a context, with the token of a form. */
async function loggedIn(ctx: Context): Promise<Visitor> {
  const { email } = await personOf(ctx);
  const device = visitor(app);
  await device.get("/login");
  assert.equal((await device.post("/login", { email, password })).status, 303);
  await device.get("/account");
  return device;
}

/** Sends a role to the JSON API with the session of a visitor. */
async function json(device: Visitor, path: string, method: string): Promise<Response> {
  const [, csrf = ""] = /name="csrf" value="([^"]+)/.exec((await device.get("/account")).body) ?? [];
  const cookie = [...device.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, "content-type": "application/json", "x-csrf-token": csrf };
  return app.request(path, { method, headers, body: JSON.stringify({ role }) });
}

test("an added address does not tell if it has an account", async () => {
  const { params, admin, stranger, invite } = await team();
  const { email } = await confirm(stranger);
  const answersFor = async (address: string) => {
    const item = JSON.stringify(await invite(address)).replaceAll(/"id":"[^"]+"|"[\d-]+T[^"]+"/g, "");
    const again = await Members.insert({ email: address.toUpperCase(), role }, { params, ctx: admin });
    return [item.replaceAll(address, "ADDRESS"), again.ok];
  };
  assert.deepEqual(await answersFor(email), await answersFor("nobody@example.com"));
});

test("a pending membership grants nothing until the owner of the confirmed address accepts it", async () => {
  const { params, admin, member, stranger, invite, count } = await team();
  const { email } = await personOf(stranger);
  const add = async (ctx: Context) => Members.insert({ email, role }, { params, ctx });
  await assert.rejects(add(member), { code: "E_POLICY_REFUSED" });
  await assert.rejects(add(stranger), { code: "E_POLICY_NO_ROW" });
  const { id } = await invite(email.toUpperCase(), "admin");
  assert.deepEqual(await Members.pending({ ctx: stranger }), []);
  await confirm(member);
  for (const ctx of [admin, member, stranger]) {
    assert.equal(await Members.accept(id, { ctx }), false);
    assert.equal(await Members.decline(id, { ctx }), false);
  }
  await confirm(stranger);
  assert.deepEqual(await Promise.all([admin, member, stranger].map(count)), [3, 2, 0]);
  assert.equal(await Members.find(id, { ctx: member }), undefined);
  assert.equal(await Team.find(params.team, { ctx: stranger }), undefined);
  assert.equal(await Members.accept(id, { ctx: stranger }), true);
  assert.equal(await Members.accept(id, { ctx: stranger }), false);
  assert.equal(await count(stranger), 3);
  assert.equal((await Members.find(id, { ctx: member }))?.email, email);
});

test("a pending membership is declined by its owner, and revoked by an admin", async () => {
  const { admin, stranger, invite, count } = await team();
  const { email } = await confirm(stranger);
  const declined = await invite(email);
  assert.equal(await Members.decline(declined.id, { ctx: stranger }), true);
  const revoked = await invite(email);
  assert.equal((await Members.delete(revoked, { ctx: admin })).ok, true);
  for (const { id } of [declined, revoked]) assert.equal(await Members.accept(id, { ctx: stranger }), false);
  assert.equal(await count(admin), 2);
});

test("a pending membership expires after 14 days, until an admin sends it again", async () => {
  const { params, path, admin, stranger, invite } = await team();
  const { email } = await confirm(stranger);
  const { id, created_at } = await invite(email);
  const alice = await loggedIn(admin);
  using _ = fakeClock(new Date(created_at.getTime() + Time.days(14)));
  assert.deepEqual(await Members.pending({ ctx: stranger }), []);
  assert.equal(await Members.accept(id, { ctx: stranger }), false);
  assert.match((await alice.get(path)).body, / – invitation expired</);
  assert.equal(await Members.invitedAddress(id), undefined);
  assert.equal((await alice.post(path, { email, role })).location, path);
  assert.equal(await Members.accept(id, { ctx: stranger }), true);
  await queue.runDue();
  assert.equal(mailer.inbox.to(email).length, 2);
  // Who has not confirmed the own address sends no mails.
  await user.update(await personOf(admin), { email: "unconfirmed@example.com" });
  const refused = await Members.insert({ email: "new@example.com", role }, { params, ctx: admin });
  assert.equal(refused.ok, false);
});

test("a pending membership belongs to the address, not to the account", async () => {
  const { params, admin, member, stranger, invite } = await team();
  const email = "shared@example.com";
  const { id } = await invite(email, "admin");
  const move = async (ctx: Context, address: string) => user.setEmail(await confirm(ctx), address);
  await move(stranger, email);
  assert.equal((await Members.pending({ ctx: stranger })).length, 1);
  await move(stranger, "other@example.com");
  assert.equal(await Members.accept(id, { ctx: stranger }), false);
  // Who is a member already stays one, with the same role.
  await move(member, email);
  assert.equal(await Members.accept(id, { ctx: member }), true);
  const [members] = await Members.search({}, { params, ctx: admin });
  assert.deepEqual(members.map((item) => item.role).toSorted(), ["admin", "member"]);
});

test("the link of the mail leads its recipient to the invitation, and tells others nothing", async () => {
  const { params, path, admin, member, stranger, invite } = await team();
  const { id } = await invite("new@example.com");
  await queue.runDue();
  const [mail] = mailer.inbox.to("new@example.com");
  const item = await Team.find(params.team, { ctx: admin });
  const name = Team.labelOf(item ?? assert.fail());
  for (const part of [name, (await personOf(admin)).email]) assert.ok(mail?.text.includes(part), part);
  const link = new URL(/http[^\s)]+/.exec(mail?.text ?? "")?.[0] ?? "").pathname;
  assert.equal(link, `/teams/invitations/${id}`);
  for (const ctx of [admin, member, stranger]) {
    const eve = await loggedIn(ctx);
    await confirm(ctx);
    const page = await eve.get(link);
    assert.equal(page.status, 404);
    assert.match(page.body, /no open invitation/);
    assert.ok(!page.body.includes(name) && !page.body.includes("new@example.com"));
    await eve.put(link);
    await eve.delete(link);
  }
  const guest = visitor(app);
  const { location: login = "" } = await guest.get(link);
  const { body } = await guest.get(login);
  assert.match(body, /name="email"[^>]* value="new@example\.com"/);
  const [, registration = ""] = /href="(\/register[^"]+)"/.exec(body.replaceAll("&amp;", "&")) ?? [];
  const form = { email: "new@example.com", password, confirmation: password };
  assert.equal((await guest.post(registration, form)).location, link);
  assert.match((await guest.get(link)).body, /href="\/account">[^<]*confirm your e-mail address/);
  await user.confirm(await user.findByEmail("new@example.com"));
  assert.ok((await guest.get(link)).body.includes(name));
  assert.equal((await guest.get(path)).status, 404);
  assert.equal((await guest.put(link)).location, "/teams");
  assert.equal((await guest.get(path)).status, 200);
});

test("admins change roles and remove members, others do not", async () => {
  const { params, admin, member, find } = await team();
  const item = await find(member);
  const promote = async (ctx: Context) => Members.update(item.id, { email: "", role: "admin" }, { ctx });
  await assert.rejects(promote(member), { code: "E_POLICY_REFUSED" });
  await assert.rejects(Members.delete(await find(admin), { ctx: member }), { code: "E_POLICY_REFUSED" });
  assert.equal((await promote(admin)).ok, true);
  assert.equal((await Members.delete(item, { ctx: admin })).ok, true);
  assert.equal(await Team.find(params.team, { ctx: member }), undefined);
});

/** Ways in which an admin of a team stops to be one. */
type WayOut = (ctx: Context, item: Members.Member, alice: Visitor, path: string) => Promise<unknown>;

const waysOut: Record<string, WayOut> = {
  "another role": async (ctx, { id }) => Members.update(id, { email: "", role }, { ctx }),
  leaving: async (ctx, item) => Members.delete(item, { ctx }),
  "the form of the role": async (_ctx, _item, alice, path) => alice.patch(path, { role }),
  "the button to leave": async (_ctx, _item, alice, path) => alice.delete(path),
  "another role as JSON": async (_ctx, _item, alice, path) => json(alice, path, "PATCH"),
  "leaving as JSON": async (_ctx, _item, alice, path) => json(alice, path, "DELETE"),
  "deleting the account": async (_ctx, _item, alice) => alice.post("/account/delete", { password }),
  "deleteAccount of the service": async (ctx) => account.deleteAccount(await personOf(ctx), password),
  "delete of the service": async (ctx) => user.delete(await personOf(ctx)),
  "deactivate of the service": async (ctx) => user.deactivate(await personOf(ctx)),
  "user.deactivate": async (ctx) => runCommand(app, "user.deactivate", (await personOf(ctx)).email),
};

for (const [name, leave] of Object.entries(waysOut)) {
  test(`the last active admin remains, and hands over: ${name}`, async () => {
    const { path, admin, member, find, invite } = await team();
    await invite("nobody@example.com", "admin");
    const [item, other, alice] = [await find(admin), await find(member), await loggedIn(admin)];
    const remains = async () => {
      await alice.get("/account");
      await leave(admin, item, alice, `${path}/${item.id}`).catch(() => undefined);
      const found = await Members.find(item.id, { ctx: member });
      return found?.role === "admin" && found.user?.status === "active";
    };
    assert.equal(await remains(), true);
    await Members.update(other.id, { email: "", role: "admin" }, { ctx: admin });
    await user.deactivate(await personOf(member));
    assert.equal(await remains(), true);
    await user.activate(await personOf(member));
    assert.equal(await remains(), false);
  });
}

test("pages list, add, change and remove members, for strangers there are none", async () => {
  const { path, admin, member, stranger, find } = await team();
  const [alice, bob, eve] = [await loggedIn(admin), await loggedIn(member), await loggedIn(stranger)];
  const refused = await alice.post(path, { email: "nobody", role });
  assert.match(refused.body, /<p class="error" id="email-error">[^<]+</);
  assert.equal((await alice.post(path, { email: "nobody@example.com", role })).location, path);
  assert.match((await alice.get(path)).body, / – has not accepted yet</);
  const { id } = await find(member);
  for (const end of ["", "/new", `/${id}`, `/${id}/edit`]) {
    assert.equal((await alice.get(path + end)).status, 200);
    assert.equal((await eve.get(path + end)).status, 404);
  }
  const changed = await alice.patch(`${path}/${id}`, { role: "admin" });
  assert.match((await alice.follow(changed)).body, /<dd>Admin</);
  await alice.patch(`${path}/${id}`, { role });
  assert.doesNotMatch((await bob.get(path)).body, /Add a member|Change role|Remove|Send again/);
  assert.match((await bob.post(path, { email: "new@example.com", role })).body, /Only admins add members/);
  assert.equal((await bob.delete(`${path}/${id}`)).location, "/teams");
  assert.equal((await bob.get(path)).status, 404);
});

test("a user sends a limited number of invitations per hour", async () => {
  const { path, admin } = await team();
  const alice = await loggedIn(admin);
  for (let count = 1; count <= 20; count++) {
    assert.equal((await alice.post(path, { email: `guess${count}@example.com`, role })).status, 303);
  }
  assert.equal((await alice.get(path)).status, 200);
  assert.equal((await alice.post(path, { email: "guess1@example.com", role })).status, 429);
});
