import { Context, type ContextOptions } from "limmat";
import type { Policy } from "limmat/policy";

/** Returns the user who acts, from `ctx` of the options. Without a user, nothing is permitted. */
export function actingUser(options: ContextOptions | undefined): Policy.User {
  const id = Context.get(options?.ctx, "user_id");
  if (id === undefined) throw new Error('The options need the user: { ctx: [["user_id", id]] }');
  return { id };
}
