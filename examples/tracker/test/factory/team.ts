import { type Input, insert, type Team } from "../../app/domain/team/team.ts";

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

/** Stores a team. */
export async function make(changes: Partial<Input> = {}): Promise<Team> {
  const result = await insert(await input(changes));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
