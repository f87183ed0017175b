import { type Context, Random } from "limmat";
import { actingUser } from "../../app/domain/acting-user.ts";
import type { Role } from "../../app/domain/team/entity.ts";
import { issues } from "../../app/domain/issue/repository.ts";
import { type Input, insert, type Issue, type ListOptions } from "../../app/domain/issue/issue.ts";
import { database, user } from "../../service/service.ts";
import * as LabelFactory from "./label.ts";
import * as ProjectFactory from "./project.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(options: ListOptions, changes: Partial<Input> = {}): Promise<Input> {
  return {
    title: "First title",
    body: "First body",
    state: "open",
    assignee_id: await newMemberId(options),
    label_ids: [(await LabelFactory.make({}, options)).id],
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(options: ListOptions): Promise<Input> {
  return {
    title: "Second title",
    body: "Second body",
    state: "closed",
    assignee_id: await newMemberId(options),
    label_ids: [(await LabelFactory.make({}, options)).id],
  };
}

/** Stores a project, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  const options = await ProjectFactory.context();
  const { id } = await ProjectFactory.make({}, options);
  return { ctx: options.ctx ?? [], params: { project: id } };
}

/** Stores an issue. */
export async function make(changes: Partial<Input> = {}, given?: ListOptions): Promise<Issue> {
  const options = given ?? (await context());
  const result = await insert(await input(options, changes), options);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. */
export async function newUserContext(): Promise<Context> {
  return [["user_id", await newUserId()]];
}

/** Stores a user with a role for an issue, and returns the context of this user's requests. */
export async function join(id: string, role: Role): Promise<Context> {
  const { project_id } = await issues.find(database, id);
  return ProjectFactory.join(project_id, role);
}

async function newMemberId({ params }: ListOptions): Promise<string> {
  return actingUser({ ctx: await ProjectFactory.join(params.project, "member") }).id;
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
