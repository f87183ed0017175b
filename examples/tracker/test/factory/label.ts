import { type Context, Random } from "limmat";
import type { Role } from "../../app/domain/team/entity.ts";
import { labels } from "../../app/domain/label/repository.ts";
import { type Input, insert, type Label, type ListOptions } from "../../app/domain/label/label.ts";
import { database, user } from "../../service/service.ts";
import * as ProjectFactory from "./project.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    name: `First name ${Random.hex(8)}`,
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    name: "Second name",
  };
}

/** Stores a project, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  const options = await ProjectFactory.context();
  const { id } = await ProjectFactory.make({}, options);
  return { ctx: options.ctx ?? [], params: { project: id } };
}

/** Stores a label. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Label> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. */
export async function newUserContext(): Promise<Context> {
  return [["user_id", await newUserId()]];
}

/** Stores a user with a role for a label, and returns the context of this user's requests. */
export async function join(id: string, role: Role): Promise<Context> {
  const { project_id } = await labels.find(database, id);
  return ProjectFactory.join(project_id, role);
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
