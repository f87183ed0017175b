// Members of teams. Members see each other, and admins change them. One admin always remains.
import { error, isError, ok, type Result, Schema } from "limmat";
import { type AnySearchParameters, type OperationOptions, Row, sql } from "limmat/database";
import type { Table } from "limmat/table";
import { database, user } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { teamMembers as members, roles } from "./entity.ts";
import { roleOf } from "./policy.ts";

export { roles } from "./entity.ts";

/** Input of forms. A change ignores the address: it names another person. */
export const schema = Schema.record({
  email: Schema.string({ min: 1, trim: true }),
  role: Schema.oneOf(roles, { default: "member" }),
});

export type Input = Schema.Infer<typeof schema>;

/** A member, with the user and the address. */
export interface Member extends Table.Infer<typeof members, ["user"]> {
  readonly email: string;
}

export type Outcome = Result<Member, string | Readonly<Record<string, string>>>;

/** Options of a list and of a new member. */
export interface ListOptions extends OperationOptions {
  readonly params: { readonly team: string };
}

/** Finds a member by the id of the membership. */
export async function find(id: string, options?: OperationOptions): Promise<Member | undefined> {
  const member = await members.findOpt(database, id, { ...options, with: ["user"] });
  const role = member && (await roleOf(member.team_id, actingUser(options), options));
  return member === undefined || role === undefined ? undefined : withEmail(member);
}

/** Returns one page of the members, and their total number. */
export async function search(
  parameters: AnySearchParameters,
  options: ListOptions,
): Promise<readonly [items: readonly Member[], total: number]> {
  const parentId = options.params.team;
  if ((await roleOf(parentId, actingUser(options), options)) === undefined) return [[], 0];
  const where = { team_id: parentId };
  const [rows, total] = await members.search(database, parameters, { ...options, where, with: ["user"] });
  return [rows.map(withEmail), total];
}

/** Adds the owner of an address. It must be confirmed, so that nobody joins by registering the address of somebody else. */
export async function insert({ email, role }: Input, options: ListOptions): Promise<Outcome> {
  const parentId = options.params.team;
  if (!(await isAdmin(parentId, options))) return error("Only admins add members");
  const person = await user.findByEmailOpt(email, options);
  if (person?.status !== "active" || !person.confirmed) {
    return error({ email: "Nobody has an account with this address and has confirmed it" });
  }
  const values = { team_id: parentId, user_id: person.id, role };
  try {
    const { id } = await database.transaction(() => members.insert(database, values, options), options);
    return ok(await load(id, options));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_UNIQUE")) return error({ email: "This person is a member already" });
    throw thrown;
  }
}

/** Changes the role of a member. */
export async function update(id: string, { role }: Input, options?: OperationOptions): Promise<Outcome> {
  const { team_id: parentId } = await members.find(database, id, options);
  if (!(await isAdmin(parentId, options))) return error("Only admins change roles");
  return database.transaction(async (): Promise<Outcome> => {
    if (role !== "admin" && (await isLastAdmin(parentId, id, options))) return error(lastAdmin);
    await members.update(database, { id }, { role }, options);
    return ok(await load(id, options));
  }, options);
}

/** Removes a member. Members may remove themselves. */
async function remove(member: Member, options?: OperationOptions): Promise<Result<undefined>> {
  const { id, user_id, team_id: parentId } = member;
  const isPermitted = user_id === actingUser(options) || (await isAdmin(parentId, options));
  if (!isPermitted) return error("Only admins remove members");
  return database.transaction(async (): Promise<Result<undefined>> => {
    if (await isLastAdmin(parentId, id, options)) return error(lastAdmin);
    await members.delete(database, { id }, options);
    return ok();
  }, options);
}

export { remove as delete };

const lastAdmin = "A team needs an admin: make somebody else an admin first";

/** Returns true if the user who acts is an admin. */
export async function isAdmin(parentId: string, options?: OperationOptions): Promise<boolean> {
  return (await roleOf(parentId, actingUser(options), options)) === "admin";
}

const lock = sql.dialect({ sqlite: sql``, postgresql: sql` for update`, mariadb: sql` for update` });

/** Returns true for the only admin. Locks the admins until the transaction ends, so that two cannot leave at a time. */
async function isLastAdmin(parentId: string, id: string, options?: OperationOptions): Promise<boolean> {
  const admins = await database.collect(
    sql.value(Row.uuid)`
      select id from team_members where team_id = ${parentId} and role = 'admin'${lock}`,
    options,
  );
  return admins.length === 1 && admins[0] === id;
}

/** Refuses to delete the account of a last admin. */
export async function checkDeletion(
  person: { readonly id: string },
  options?: OperationOptions,
): Promise<Result<undefined>> {
  const memberships = await members.collect(database, { ...options, where: { user_id: person.id } });
  for (const { id, team_id: parentId } of memberships) {
    if (await isLastAdmin(parentId, id, options)) return error(lastAdmin);
  }
  return ok();
}

async function load(id: string, options?: OperationOptions): Promise<Member> {
  return withEmail(await members.find(database, id, { ...options, with: ["user"] }));
}

const withEmail = (member: Table.Infer<typeof members, ["user"]>): Member => ({
  ...member,
  email: member.user.email,
});
