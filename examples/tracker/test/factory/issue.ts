import { Random } from "limmat";
import { type Input, insert, type Issue, type ListOptions } from "../../app/domain/issue/issue.ts";
import { user } from "../../service/service.ts";
import * as LabelFactory from "./label.ts";
import * as ProjectFactory from "./project.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    title: "First title",
    body: "First body",
    state: "open",
    assignee_id: await newUserId(),
    label_ids: [(await LabelFactory.make()).id],
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    title: "Second title",
    body: "Second body",
    state: "closed",
    assignee_id: await newUserId(),
    label_ids: [(await LabelFactory.make()).id],
  };
}

/** Stores a project, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  return { params: { project: (await ProjectFactory.make()).id } };
}

/** Stores an issue. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Issue> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

async function newUserId(): Promise<string> {
  const email = `${Random.hex(8)}@example.com`;
  const { id } = await user.createUser({ email, password: Random.hex(16) });
  return id;
}
