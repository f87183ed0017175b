import { Context, type ContextOptions } from "limmat";

/** Returns the id of the user who acts, from `ctx` of the options. Without a user, nothing is permitted. */
export function actingUser(options: ContextOptions | undefined): string {
  const user_id = Context.get(options?.ctx, "user_id");
  if (user_id === undefined) throw new Error('The options need the user: { ctx: [["user_id", id]] }');
  return user_id;
}
