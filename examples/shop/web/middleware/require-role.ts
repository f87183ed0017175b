import { LimmatError, User } from "limmat";
import type { Middleware, Request } from "limmat/web";
import { type Role, roleOfUser } from "../../app/domain/employee/role.ts";

/** Returns the role of the visitor in the shop. */
export const roleOf = async (request: Request) => roleOfUser((await User.Web.userOrThrow(request)).id);

/** Allows employees with one of the roles, behind `requireUser`. */
export function requireRole(...roles: readonly Role[]): Middleware {
  return (handler) => async (request) => {
    const role = await roleOf(request);
    if (role !== undefined && roles.includes(role)) return handler(request);
    throw new LimmatError("E_ROLE", "Only employees of the shop may do this.", { status: 403 });
  };
}
