import { type Input, insert, type ListOptions, type Project } from "../../app/domain/project/project.ts";
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
  return { params: { team: (await TeamFactory.make()).id } };
}

/** Stores a project. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Project> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
