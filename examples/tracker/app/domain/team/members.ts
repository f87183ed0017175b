// Members of teams. Members see each other, and admins change them. One active admin always remains.
// Admins invite addresses, and the owner of an address accepts: nobody finds out which addresses have accounts.
import { Configuration, Email, error, isError, ok, type Result, Schema, Time, type User } from "limmat";
import type { AnySearchParameters, OperationOptions, Statement } from "limmat/database";
import { Policy } from "limmat/policy";
import type { Table } from "limmat/table";
import { text } from "../../../language/language.ts";
import { database, email as mailer, user } from "../../../service/service.ts";
import { teamInvitation } from "../../mail/team-invitation.ts";
import { actingUser } from "../acting-user.ts";
import { labelOf, roles } from "./entity.ts";
import { memberPolicy, policy, usersOf } from "./policy.ts";
import * as Repository from "./repository.ts";

export { roles } from "./entity.ts";

const { teamMembers: members } = Repository;

/** Input of forms. A change ignores the address: it names another person. */
export const schema = Schema.record({
  email: Schema.string({
    min: 1,
    trim: true,
    validate: (typed) => Email.findAddressProblem(typed) && text.member.emailInvalid,
  }),
  role: Schema.oneOf(roles, { default: "member" }),
});

export type Input = Schema.Infer<typeof schema>;

/** A member, with the user and the address. A pending membership has no user. */
export interface Member extends Table.Infer<typeof members, ["user"]> {
  readonly email: string;
}

export type Outcome = Result<Member, string | Readonly<Record<string, string>>>;

/** Options of a list and of a new member. */
export interface ListOptions extends OperationOptions {
  readonly params: { readonly team: string };
}

/** Finds a member by the id of the membership. Only admins see those that are pending. */
export async function find(id: string, options?: OperationOptions): Promise<Member | undefined> {
  const where = [{ id }, memberPolicy.where(actingUser(options))];
  const member = await members.findOpt(database, where, { ...options, with: ["user"] });
  return member && withEmail(member);
}

/** Returns one page of the members, and their total number. */
export async function search(
  parameters: AnySearchParameters,
  options: ListOptions,
): Promise<readonly [items: readonly Member[], total: number]> {
  const parentId = options.params.team;
  const where = [{ team_id: parentId }, memberPolicy.where(actingUser(options))];
  const [rows, total] = await members.search(database, parameters, { ...options, where, with: ["user"] });
  return [rows.map(withEmail), total];
}

/** Invites an address, with or without an account: adds or extends a pending membership, and mails its link. */
export async function insert({ email: typed, role }: Input, options: ListOptions): Promise<Outcome> {
  const parentId = options.params.team;
  await policy.require(database, actingUser(options), "administer", parentId, options);
  const email = Email.addressKey(typed);
  const people = await usersOf(parentId, options);
  const isMember = people.some((person) => Email.addressKey(person.email) === email);
  if (isMember) return error({ email: text.member.emailTaken });
  const sender = await confirmedAddress(options);
  if (sender === undefined) return error({ email: text.member.confirmFirst });
  const expires_at = new Date(Time.now().getTime() + Time.days(14));
  const values = { team_id: parentId, email, role, expires_at };
  const upsert = { ...options, on: ["email", "team_id"] } as const;
  return database.transaction(async () => {
    const { id } = await members.upsert(database, values, upsert);
    const mail = teamInvitation({
      name: labelOf(await Repository.teams.find(database, parentId, options)),
      sender,
      role: text.member.choices.role[role],
      url: Configuration.appUrl(`/teams/invitations/${id}`).href,
    });
    // The queue sends it after the commit.
    await mailer.send({ recipient: email, ...mail }, options);
    return ok(await load(id, options));
  }, options);
}

/** A pending membership, with a team. */
export type Pending = Table.Infer<typeof members, ["team"]>;

/** Returns the newest 20 pending memberships of the confirmed address of the user who acts, or the one with an id. */
export async function pending(options?: OperationOptions, id?: string): Promise<readonly Pending[]> {
  const email = await confirmedAddress(options);
  if (email === undefined) return [];
  const where = [id === undefined ? { email } : { email, id }, Repository.isOpen()];
  const newest = { ...options, where, orderBy: { created_at: "desc" }, limit: 20 } as const;
  const read = { ...newest, with: ["team"] } as const;
  return Policy.unchecked("invitations of an address", () => members.collect(database, read));
}

/** Returns the address of a pending membership, for guests with its link, who log in or register with it. */
export async function invitedAddress(id: string, options?: OperationOptions): Promise<string | undefined> {
  const where = [{ id }, Repository.isOpen()];
  return (await Policy.unchecked("the link of a mail", () => members.findOpt(database, where, options)))?.email;
}

/** Accepts a pending membership of the user who acts. Returns false if there is no such membership any more. */
export async function accept(id: string, options?: OperationOptions): Promise<boolean> {
  try {
    return await answer((email) => Repository.accept(id, email, actingUser(options).id), options);
  } catch (thrown) {
    // The user has joined by an earlier address.
    if (isError(thrown, "E_DATABASE_UNIQUE")) return decline(id, options);
    throw thrown;
  }
}

/** Declines a pending membership of the user who acts. Returns false if there is no such membership any more. */
export const decline = (id: string, options?: OperationOptions): Promise<boolean> =>
  answer((email) => Repository.decline(id, email), options);

/** Executes a statement for the confirmed address of the user who acts. Returns true if it changes a membership. */
async function answer(statement: (email: string) => Statement<unknown>, options?: OperationOptions): Promise<boolean> {
  const email = await confirmedAddress(options);
  if (email === undefined) return false;
  return Policy.unchecked("the owner of an address answers", async () => {
    return (await database.transaction(() => database.exec(statement(email), options), options)) === 1;
  });
}

/** Returns the address of the user who acts. Unconfirmed, it can be the address of somebody else. */
async function confirmedAddress(options?: OperationOptions): Promise<string | undefined> {
  const { email, confirmed } = await user.find(actingUser(options).id, options);
  return confirmed ? Email.addressKey(email) : undefined;
}

/** Changes the role of a member. */
export async function update(id: string, { role }: Input, options?: OperationOptions): Promise<Outcome> {
  await memberPolicy.require(database, actingUser(options), "change", id, options);
  const { team_id: parentId } = await members.find(database, id, options);
  return database.transaction(async (): Promise<Outcome> => {
    if (role !== "admin" && (await isLastAdmin(parentId, id, options))) return error(lastAdmin());
    await members.update(database, { id }, { role }, options);
    return ok(await load(id, options));
  }, options);
}

/** Removes a member. Members may remove themselves. */
async function remove(member: Member, options?: OperationOptions): Promise<Result<undefined>> {
  const { id, team_id: parentId } = member;
  await memberPolicy.require(database, actingUser(options), "delete", id, options);
  return database.transaction(async (): Promise<Result<undefined>> => {
    if (await isLastAdmin(parentId, id, options)) return error(lastAdmin());
    await members.delete(database, { id }, options);
    return ok();
  }, options);
}

export { remove as delete };

const lastAdmin = () => text.member.lastAdmin;

/** Returns true if the user who acts is an admin. */
export async function isAdmin(parentId: string, options?: OperationOptions): Promise<boolean> {
  return (await policy.check(database, actingUser(options), "administer", parentId, options)).ok;
}

/**
 * Returns true for the only active admin; pending ones do not count. Locks the admins until the transaction ends, so that two
 * cannot leave at a time.
 */
async function isLastAdmin(parentId: string, id: string, options?: OperationOptions): Promise<boolean> {
  await database.exec(Repository.lockAdmins(parentId), options);
  const where = { team_id: parentId, role: "admin" } as const;
  const read = { ...options, where, with: ["user"] } as const;
  const admins = await Policy.unchecked("all admins", () => members.collect(database, read));
  const active = admins.filter((admin) => admin.user?.status === "active");
  return active.length === 1 && active[0]?.id === id;
}

/** Refuses to deactivate or delete a last admin. */
export const checkRemoval: User.RemovalCheck = (person, options) =>
  Policy.unchecked("all memberships of a user", async () => {
    const own = await members.collect(database, { ...options, where: { user_id: person.id, role: "admin" } });
    for (const { id, team_id: parentId } of own) {
      if (await isLastAdmin(parentId, id, options)) return error(lastAdmin());
    }
    return ok();
  });

async function load(id: string, options?: OperationOptions): Promise<Member> {
  const where = [{ id }, memberPolicy.where(actingUser(options))];
  return withEmail(await members.find(database, where, { ...options, with: ["user"] }));
}

const withEmail = (member: Table.Infer<typeof members, ["user"]>): Member => ({
  ...member,
  email: member.user?.email ?? member.email ?? "",
});
