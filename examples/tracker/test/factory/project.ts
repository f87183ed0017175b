import { type Context, Random } from "limmat";
import type { Role } from "../../app/domain/team/entity.ts";
import { projects } from "../../app/domain/project/repository.ts";
import { type Input, insert, type ListOptions, type Project } from "../../app/domain/project/project.ts";
import { database, user } from "../../service/service.ts";
import * as TeamFactory from "./team.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    name: "First name",
    description: "First description",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    name: "Second name",
    description: "Second description",
  };
}

/** Stores a team, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  const options = await TeamFactory.context();
  const { id } = await TeamFactory.make({}, options);
  return { ctx: options.ctx ?? [], params: { team: id } };
}

/** Stores a project. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Project> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. */
export async function newUserContext(): Promise<Context> {
  return [["user_id", await newUserId()]];
}

/** Stores a user with a role for a project, and returns the context of this user's requests. */
export async function join(id: string, role: Role): Promise<Context> {
  const { team_id } = await projects.find(database, id);
  return TeamFactory.join(team_id, role);
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
