import { LimmatError, User } from "limmat";
import type { Middleware } from "limmat/web";
import { type Role, roleOfUser } from "../../app/domain/employee/role.ts";

/** Allows employees with one of the roles, behind `requireUser`. */
export function requireRole(...roles: readonly Role[]): Middleware {
  return (handler) => async (request) => {
    const role = await roleOfUser((await User.Web.userOrThrow(request)).id);
    if (role !== undefined && roles.includes(role)) return handler(request);
    throw new LimmatError("E_ROLE", "Only employees of the shop may do this.", { status: 403 });
  };
}
