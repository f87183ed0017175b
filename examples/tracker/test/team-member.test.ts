import assert from "node:assert/strict";
import type { Context } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Members from "../app/domain/team/members.ts";
import * as Team from "../app/domain/team/team.ts";
import * as TeamFactory from "./factory/team.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const role = "member";

/** Stores a team with a member, and returns the contexts of its admin, of the member and of a stranger. */
async function team() {
  const { ctx: admin = [] } = await TeamFactory.context();
  const { id } = await TeamFactory.make({}, { ctx: admin });
  const member = await TeamFactory.join(id, "member");
  const stranger = await TeamFactory.newUserContext();
  return {
    params: { team: id },
    path: `/teams/${id}/members`,
    admin,
    member,
    stranger,
  };
}

type Team = Awaited<ReturnType<typeof team>>;

async function personOf(ctx: Context): Promise<{ readonly id: string; readonly email: string }> {
  return user.find(actingUser({ ctx }).id);
}

/** Confirms the address of a user, and returns the user. */
const confirmed = async (ctx: Context) => user.confirm(await personOf(ctx));

/** Returns the membership of a user. */
async function membershipOf({ params, admin }: Team, ctx: Context): Promise<Members.Member> {
  const [members] = await Members.search({}, { params, ctx: admin });
  const found = members.find(({ user_id }) => user_id === actingUser({ ctx }).id);
  assert.ok(found !== undefined);
  return found;
}

test("members see each other, strangers see nobody", async () => {
  const { params, admin, member, stranger } = await team();
  const counts = [admin, member, stranger].map(async (ctx) => (await Members.search({}, { params, ctx }))[1]);
  assert.deepEqual(await Promise.all(counts), [2, 2, 0]);
});

test("an added address does not tell if it has an account", async () => {
  const all = await team();
  const { params, path, admin } = all;
  const known = await confirmed(all.stranger);
  const alice = await loggedIn(admin);
  await alice.get(`${path}/new`);
  const answersFor = async (email: string) => {
    const added = await alice.post(path, { email, role });
    const again = await alice.post(path, { email: email.toUpperCase(), role });
    const row = (await alice.get(path)).body.split("<tr").find((part) => part.includes(email));
    const [members] = await Members.search({}, { params, ctx: admin });
    const id = members.find((item) => item.email === email)?.id ?? "";
    const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const json = await app.request(`${path}/${id}`, { headers: { cookie, accept: "application/json" } });
    const error = /<p class="error" id="email-error">[^<]+/.exec(again.body);
    assert.ok(error !== null && row !== undefined);
    return [added.status, added.location, again.status, error[0], row, json.status, await json.text()].map((part) =>
      String(part)
        .replaceAll(email, "ADDRESS")
        .replaceAll(id, "ID")
        .replaceAll(/<time.*?<\/time>|[\d-]+T[\d:.]+Z|name="csrf"[^>]*/gs, ""),
    );
  };
  assert.deepEqual(await answersFor(known.email), await answersFor("nobody@example.com"));
});

test("a pending membership grants nothing until the owner of the confirmed address accepts it", async () => {
  const { params, admin, member, stranger } = await team();
  const { email } = await personOf(stranger);
  const add = async (ctx: Context) => Members.insert({ email: email.toUpperCase(), role: "admin" }, { params, ctx });
  await assert.rejects(add(member), { code: "E_POLICY_REFUSED" });
  await assert.rejects(add(stranger), { code: "E_POLICY_NO_ROW" });
  const added = await add(admin);
  assert.ok(added.ok);
  const { id } = added.value;
  assert.deepEqual(await Members.pending({ ctx: stranger }), []);
  await Promise.all([admin, member].map(confirmed));
  for (const ctx of [admin, member, stranger]) {
    assert.equal(await Members.accept(id, { ctx }), false);
    assert.equal(await Members.decline(id, { ctx }), false);
  }
  await confirmed(stranger);
  const [found] = await Members.pending({ ctx: stranger });
  assert.equal(found?.id, id);
  assert.equal(await Team.find(params.team, { ctx: stranger }), undefined);
  const counts = [admin, member, stranger].map(async (ctx) => (await Members.search({}, { params, ctx }))[1]);
  assert.deepEqual(await Promise.all(counts), [3, 2, 0]);
  assert.equal(await Members.find(id, { ctx: member }), undefined);
  assert.equal(await Members.accept(id, { ctx: stranger }), true);
  assert.equal(await Members.accept(id, { ctx: stranger }), false);
  const seen = await Team.find(params.team, { ctx: stranger });
  assert.notEqual(seen, undefined);
  assert.equal((await Members.find(id, { ctx: member }))?.email, email);
});

test("a pending membership is declined by its owner, and revoked by an admin", async () => {
  const { params, admin, stranger } = await team();
  const { email } = await confirmed(stranger);
  for (const end of [
    async ({ id }: Members.Member) => Members.decline(id, { ctx: stranger }),
    async (item: Members.Member) => (await Members.delete(item, { ctx: admin })).ok,
  ]) {
    const added = await Members.insert({ email, role }, { params, ctx: admin });
    assert.ok(added.ok);
    assert.equal(await end(added.value), true);
    assert.equal(await Members.accept(added.value.id, { ctx: stranger }), false);
    assert.equal((await Members.search({}, { params, ctx: admin }))[1], 2);
  }
});

test("a pending membership belongs to the address, not to the account", async () => {
  const { params, admin, member, stranger } = await team();
  const email = "shared@example.com";
  const added = await Members.insert({ email, role: "admin" }, { params, ctx: admin });
  assert.ok(added.ok);
  const { id } = added.value;
  const move = async (ctx: Context, address: string) => user.setEmail(await confirmed(ctx), address);
  await move(stranger, email);
  assert.equal((await Members.pending({ ctx: stranger })).length, 1);
  await move(stranger, "other@example.com");
  assert.equal(await Members.accept(id, { ctx: stranger }), false);
  // Who is a member already stays one, with the same role.
  await move(member, email);
  assert.equal(await Members.accept(id, { ctx: member }), true);
  const [members] = await Members.search({}, { params, ctx: admin });
  const roles = members.map((item) => item.role);
  assert.deepEqual(roles.toSorted(), ["admin", "member"]);
});

test("admins change roles and remove members, members leave", async () => {
  const all = await team();
  const { params, admin, member } = all;
  const { id, email } = await membershipOf(all, member);
  const promote = async (ctx: Context) => Members.update(id, { email, role: "admin" }, { ctx });
  await assert.rejects(promote(member), { code: "E_POLICY_REFUSED" });
  assert.equal((await promote(admin)).ok, true);
  assert.equal((await Members.delete(await membershipOf(all, member), { ctx: admin })).ok, true);
  assert.equal(await Team.find(params.team, { ctx: member }), undefined);
  const other = await TeamFactory.join(params.team, "member");
  await assert.rejects(Members.delete(await membershipOf(all, admin), { ctx: other }), { code: "E_POLICY_REFUSED" });
  assert.equal((await Members.delete(await membershipOf(all, other), { ctx: other })).ok, true);
});

test("the last admin remains", async () => {
  const all = await team();
  const { params, admin, member } = all;
  // A pending admin does not count.
  await Members.insert({ email: "nobody@example.com", role: "admin" }, { params, ctx: admin });
  const { email, ...last } = await membershipOf(all, admin);
  assert.equal((await Members.update(last.id, { email, role }, { ctx: admin })).ok, false);
  assert.equal((await Members.delete({ ...last, email }, { ctx: admin })).ok, false);
  assert.equal((await Members.checkDeletion(await personOf(admin))).ok, false);
  assert.equal((await Members.checkDeletion(await personOf(member))).ok, true);
  const { id } = await membershipOf(all, member);
  assert.equal((await Members.update(id, { email, role: "admin" }, { ctx: admin })).ok, true);
  assert.equal((await Members.update(last.id, { email, role }, { ctx: admin })).ok, true);
  assert.equal((await Members.checkDeletion(await personOf(admin))).ok, true);
});

test("pages list, add, change and remove members", async () => {
  const all = await team();
  const { path, admin, member, stranger } = all;
  const person = await confirmed(stranger);
  const alice = await loggedIn(admin);
  await alice.get(`${path}/new`);
  const refused = await alice.post(path, { email: "nobody", role });
  assert.match(refused.body, /<p class="error" id="email-error">[^<]+</);
  assert.equal((await alice.post(path, { email: person.email, role })).location, path);
  assert.match((await alice.get(path)).body, / – has not accepted yet</);
  const eve = await loggedIn(stranger);
  const { body } = await eve.get("/teams");
  const [, pendingPath = ""] = /action="([^"]+\/pending\/[^"]+)"/.exec(body) ?? [];
  assert.equal((await eve.get(path)).status, 404);
  assert.equal((await eve.put(pendingPath, {})).location, "/teams");
  assert.equal((await eve.get(path)).status, 200);
  const added = await membershipOf(all, stranger);
  assert.equal((await alice.get(`${path}/${added.id}/edit`)).status, 200);
  const changed = await alice.patch(`${path}/${added.id}`, { role: "admin" });
  assert.match((await alice.follow(changed)).body, /<dd>Admin</);
  assert.equal((await alice.delete(`${path}/${added.id}`)).location, path);

  const bob = await loggedIn(member);
  assert.doesNotMatch((await bob.get(path)).body, /Add a member|Change role|Remove/);
  const own = await membershipOf(all, member);
  assert.equal((await bob.delete(`${path}/${own.id}`)).location, "/teams");
  assert.equal((await bob.get(path)).status, 404);
});

test("a user adds a limited number of addresses per hour", async () => {
  const { path, admin, member } = await team();
  const [alice, bob] = [await loggedIn(admin), await loggedIn(member)];
  await alice.get(`${path}/new`);
  const statuses = [];
  for (let count = 0; count <= 20; count++) {
    statuses.push((await alice.post(path, { email: `guess${count}@example.com`, role })).status);
  }
  assert.deepEqual([statuses.at(-2), statuses.at(-1)], [303, 429]);
  assert.equal((await alice.get(path)).status, 200);
  await bob.get(path);
  const refused = await bob.post(path, { email: "guess@example.com", role });
  assert.equal(refused.status, 403);
  assert.match(refused.body, /Only admins add members/);
});

test("the last admin cannot delete the account", async () => {
  const all = await team();
  const [alice, bob] = [await loggedIn(all.admin), await loggedIn(all.member)];
  const { password } = TeamFactory;
  await alice.get("/account/delete");
  const refused = await alice.post("/account/delete", { password });
  assert.equal(refused.status, 422);
  assert.match(refused.body, /needs an admin/);
  await bob.get("/account/delete");
  assert.equal((await bob.post("/account/delete", { password })).location, "/");
  const members = await Members.search({}, { params: all.params, ctx: all.admin });
  assert.equal(members[1], 1);
});

test("strangers get 404", async () => {
  const all = await team();
  const eve = await loggedIn(all.stranger);
  const { id } = await membershipOf(all, all.member);
  for (const path of ["", "/new", `/${id}`, `/${id}/edit`]) {
    assert.equal((await eve.get(all.path + path)).status, 404);
  }
});

/** Returns a visitor who is logged in as the user of a context. */
async function loggedIn(ctx: Context): Promise<Visitor> {
  const { email } = await personOf(ctx);
  const device = visitor(app);
  await device.get("/login");
  const { password } = TeamFactory;
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return device;
}
