import { User } from "limmat";
import { failure, type Middleware, type Request } from "limmat/web";
import { type Role, roleOfUser } from "../../app/domain/employee/role.ts";

const requireUser = User.Web.requireUser({ loginPath: "/login" });

/** Returns the role of the visitor; `undefined` for guests, and for users who are no employees. */
export async function employeeRole(request: Request): Promise<Role | undefined> {
  const user = await User.Web.user(request);
  return user && roleOfUser(user.id);
}

/** Guards routes for employees with one of the roles; without roles, for all employees. */
export function requireEmployee(...roles: readonly Role[]): Middleware {
  return (handler) =>
    requireUser(async (request) => {
      const role = await employeeRole(request);
      if (role !== undefined && (roles.length === 0 || roles.includes(role))) return handler(request);
      throw failure(403, "Only employees may do this.");
    });
}
