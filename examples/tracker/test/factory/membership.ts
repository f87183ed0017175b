import { Random } from "limmat";
import { type Input, insert, type ListOptions, type Membership } from "../../app/domain/membership/membership.ts";
import { user } from "../../service/service.ts";
import * as TeamFactory from "./team.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    member_id: await newUserId(),
    role: "owner",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    member_id: await newUserId(),
    role: "member",
  };
}

/** Stores a team, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  return { params: { team: (await TeamFactory.make()).id } };
}

/** Stores a membership. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Membership> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

async function newUserId(): Promise<string> {
  const email = `${Random.hex(8)}@example.com`;
  const { id } = await user.createUser({ email, password: Random.hex(16) });
  return id;
}
