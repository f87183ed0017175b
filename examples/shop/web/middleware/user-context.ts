import { type Context, User } from "limmat";
import type { Request } from "limmat/web";

/** Returns the context of calls for a request: the user who is logged in. The `pool` of a tenant belongs here, too. */
export const userContext = async (request: Request): Promise<Context> => [
  ["user_id", (await User.Web.userOrThrow(request)).id],
];
