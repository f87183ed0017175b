// Members of teams. Members see each other, and admins change them. One admin always remains.
// Admins add addresses, and the owner of an address accepts: nobody finds out which addresses have accounts.
import { Email, error, isError, ok, type Result, Schema } from "limmat";
import type { AnySearchParameters, OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import type { Table } from "limmat/table";
import { text } from "../../../language/language.ts";
import { database, user } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { roles } from "./entity.ts";
import { memberPolicy, policy, usersOf } from "./policy.ts";
import * as Repository from "./repository.ts";

export { roles } from "./entity.ts";

const { teamMembers: members } = Repository;

/** Input of forms. A change ignores the address: it names another person. */
export const schema = Schema.record({
  email: Schema.string({
    min: 1,
    trim: true,
    validate: (typed) => (Email.findAddressProblem(typed) === undefined ? undefined : text.member.emailInvalid),
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

/** Adds a pending membership for an address, whether or not it has an account. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  const parentId = options.params.team;
  await policy.require(database, actingUser(options), "administer", parentId, options);
  const email = Email.addressKey(input.email);
  const taken = error({ email: text.member.emailTaken });
  const people = await usersOf(parentId, options);
  if (people.some((person) => Email.addressKey(person.email) === email)) return taken;
  const values = { team_id: parentId, email, role: input.role };
  try {
    const { id } = await database.transaction(() => members.insert(database, values, options), options);
    return ok(await load(id, options));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_UNIQUE")) return taken;
    throw thrown;
  }
}

/** Returns the newest 20 pending memberships of the confirmed address of the user who acts. */
export async function pending(options?: OperationOptions): Promise<readonly Pending[]> {
  const email = await confirmedAddress(options);
  if (email === undefined) return [];
  const newest = { where: { email }, orderBy: { created_at: "desc" }, limit: 20 } as const;
  const read = { ...options, ...newest, with: ["team"] } as const;
  return Policy.unchecked("invitations of an address", () => members.collect(database, read));
}

/** A pending membership, with a team. */
export type Pending = Table.Infer<typeof members, ["team"]>;

/** Accepts a pending membership of the user who acts. Returns false if there is no such membership any more. */
export async function accept(id: string, options?: OperationOptions): Promise<boolean> {
  const email = await confirmedAddress(options);
  if (email === undefined) return false;
  const accepted = Repository.accept(id, email, actingUser(options).id);
  try {
    return await Policy.unchecked("the owner of an address accepts", async () => {
      return (await database.transaction(() => database.exec(accepted, options), options)) === 1;
    });
  } catch (thrown) {
    // The user has joined by an earlier address.
    if (isError(thrown, "E_DATABASE_UNIQUE")) return decline(id, options);
    throw thrown;
  }
}

/** Declines a pending membership of the user who acts. Returns false if there is no such membership any more. */
export async function decline(id: string, options?: OperationOptions): Promise<boolean> {
  const email = await confirmedAddress(options);
  if (email === undefined) return false;
  return Policy.unchecked("the owner of an address declines", async () => {
    return (await database.exec(Repository.decline(id, email), options)) === 1;
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
    if (role !== "admin" && (await isLastAdmin(parentId, id, options))) return error(text.member.lastAdmin);
    await members.update(database, { id }, { role }, options);
    return ok(await load(id, options));
  }, options);
}

/** Removes a member. Members may remove themselves. */
async function remove(member: Member, options?: OperationOptions): Promise<Result<undefined>> {
  const { id, team_id: parentId } = member;
  await memberPolicy.require(database, actingUser(options), "delete", id, options);
  return database.transaction(async (): Promise<Result<undefined>> => {
    if (await isLastAdmin(parentId, id, options)) return error(text.member.lastAdmin);
    await members.delete(database, { id }, options);
    return ok();
  }, options);
}

export { remove as delete };

/** Returns true if the user who acts is an admin. */
export async function isAdmin(parentId: string, options?: OperationOptions): Promise<boolean> {
  return (await policy.check(database, actingUser(options), "administer", parentId, options)).ok;
}

/**
 * Returns true for the only admin; pending ones do not count. Locks the admins until the transaction ends, so that two
 * cannot leave at a time.
 */
async function isLastAdmin(parentId: string, id: string, options?: OperationOptions): Promise<boolean> {
  const admins = await database.collect(Repository.lockAdmins(parentId), options);
  return admins.length === 1 && admins[0] === id;
}

/** Refuses to delete the account of a last admin. */
export async function checkDeletion(person: Policy.User, options?: OperationOptions): Promise<Result<undefined>> {
  const read = { ...options, where: { user_id: person.id } };
  return Policy.unchecked("the own memberships", async () => {
    for (const { id, team_id: parentId } of await members.collect(database, read)) {
      if (await isLastAdmin(parentId, id, options)) return error(text.member.lastAdmin);
    }
    return ok();
  });
}

async function load(id: string, options?: OperationOptions): Promise<Member> {
  return withEmail(await members.find(database, id, { ...options, with: ["user"] }));
}

const withEmail = (member: Table.Infer<typeof members, ["user"]>): Member => ({
  ...member,
  email: member.user?.email ?? member.email ?? "",
});
