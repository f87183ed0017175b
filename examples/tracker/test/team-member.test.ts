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
  return user.find(actingUser({ ctx }));
}

/** Returns the membership of a user. */
async function membershipOf({ params, admin }: Team, ctx: Context): Promise<Members.Member> {
  const [members] = await Members.search({}, { params, ctx: admin });
  const found = members.find(({ user_id }) => user_id === actingUser({ ctx }));
  assert.ok(found !== undefined);
  return found;
}

test("members see each other, strangers see nobody", async () => {
  const { params, admin, member, stranger } = await team();
  const counts = [admin, member, stranger].map(async (ctx) => (await Members.search({}, { params, ctx }))[1]);
  assert.deepEqual(await Promise.all(counts), [2, 2, 0]);
});

test("admins add the owner of a confirmed address, once", async () => {
  const { params, admin, member, stranger } = await team();
  const { id, email } = await personOf(stranger);
  const add = async (ctx: Context, address: string) => Members.insert({ email: address, role }, { params, ctx });
  const unconfirmed = await add(admin, email);
  assert.ok(!unconfirmed.ok);
  assert.deepEqual(unconfirmed, await add(admin, "nobody@example.com"));
  await user.confirm({ id });
  assert.equal((await add(member, email)).ok, false);
  assert.equal((await add(stranger, email)).ok, false);
  assert.equal((await add(admin, email)).ok, true);
  assert.deepEqual(await add(admin, email), { ok: false, error: { email: "This person is a member already" } });
  const seen = await Team.find(params.team, { ctx: stranger });
  assert.notEqual(seen, undefined);
});

test("admins change roles and remove members, members leave", async () => {
  const all = await team();
  const { params, admin, member } = all;
  const { id, email } = await membershipOf(all, member);
  const promote = async (ctx: Context) => Members.update(id, { email, role: "admin" }, { ctx });
  assert.equal((await promote(member)).ok, false);
  assert.equal((await promote(admin)).ok, true);
  assert.equal((await Members.delete(await membershipOf(all, member), { ctx: admin })).ok, true);
  assert.equal(await Team.find(params.team, { ctx: member }), undefined);
  const other = await TeamFactory.join(params.team, "member");
  assert.equal((await Members.delete(await membershipOf(all, admin), { ctx: other })).ok, false);
  assert.equal((await Members.delete(await membershipOf(all, other), { ctx: other })).ok, true);
});

test("the last admin remains", async () => {
  const all = await team();
  const { admin, member } = all;
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
  const person = await personOf(stranger);
  await user.confirm(person);
  const alice = await loggedIn(admin);
  await alice.get(`${path}/new`);
  const refused = await alice.post(path, { email: "nobody@example.com", role });
  assert.match(refused.body, /<p class="error" id="email-error">[^<]+</);
  assert.equal((await alice.post(path, { email: person.email, role })).location, path);
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

test("a user tries a limited number of addresses per hour", async () => {
  const { path, admin, member } = await team();
  const [alice, bob] = [await loggedIn(admin), await loggedIn(member)];
  await alice.get(`${path}/new`);
  const statuses = [];
  for (let count = 0; count <= 20; count++) {
    statuses.push((await alice.post(path, { email: `guess${count}@example.com`, role })).status);
  }
  assert.deepEqual([statuses.at(-2), statuses.at(-1)], [422, 429]);
  assert.equal((await alice.get(path)).status, 200);
  await bob.get(path);
  assert.notEqual((await bob.post(path, { email: "guess@example.com", role })).status, 429);
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
