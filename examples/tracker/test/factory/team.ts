import { type Context, Random } from "limmat";
import type { Role } from "../../app/domain/team/entity.ts";
import { teamMembers } from "../../app/domain/team/repository.ts";
import { type Input, insert, type Options, type Team } from "../../app/domain/team/team.ts";
import { database, user } from "../../service/service.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    name: "First name",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    name: "Second name",
  };
}

/** Stores a user, and returns options that name the user. */
export async function context(): Promise<Options> {
  return { ctx: await newUserContext() };
}

/** Stores a team. */
export async function make(changes: Partial<Input> = {}, options?: Options): Promise<Team> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. */
export async function newUserContext(): Promise<Context> {
  return [["user_id", await newUserId()]];
}

/** Stores a user with a role for a team, and returns the context of this user's requests. */
export async function join(id: string, role: Role): Promise<Context> {
  const user_id = await newUserId();
  const member = { team_id: id, user_id, role };
  await teamMembers.insert(database, member);
  return [["user_id", user_id]];
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
