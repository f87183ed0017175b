import { Random } from "limmat";
import { type Activity, type Input, insert, type ListOptions } from "../../app/domain/activity/activity.ts";
import { user } from "../../service/service.ts";
import * as ProjectFactory from "./project.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    event: "opened",
    subject: "First subject",
    actor_id: await newUserId(),
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    event: "changed",
    subject: "Second subject",
    actor_id: await newUserId(),
  };
}

/** Stores a project, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  return { params: { project: (await ProjectFactory.make()).id } };
}

/** Stores an activity. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Activity> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

async function newUserId(): Promise<string> {
  const email = `${Random.hex(8)}@example.com`;
  const { id } = await user.createUser({ email, password: Random.hex(16) });
  return id;
}
