import { LimmatError, Schema, User, type Web } from "limmat";
import { type Role, roleOf, type Subject } from "../../app/domain/membership/policy.ts";

/**
 * Allows the members of a team to see its pages, and some roles to change them. The team is that of the item in the path or,
 * for a list, of its `parent`. People of other teams get 404. Administrators may do everything.
 */
export function requireRole(item: Subject, parent?: Subject, changedBy: readonly Role[] = ["owner", "member"]) {
  const requireTeamRole: Web.Middleware = (handler) => async (request) => {
    const user = await User.Web.userOrThrow(request);
    const subject = request.params["id"] === undefined ? parent : item;
    if (user.admin || subject === undefined) return handler(request);
    const id = request.params["id"] ?? request.params[subject] ?? "";
    const role = Schema.isUuid(id) ? await roleOf(user.id, subject, id) : undefined;
    if (role === undefined) throw new LimmatError("E_TEAM", "This page does not exist.", { status: 404 });
    const isRead = ["GET", "HEAD"].includes(request.method) && !/\/(?:new|edit)$/.test(request.path);
    if (!isRead && !changedBy.includes(role)) {
      throw new LimmatError("E_ROLE", "Your role in this team does not allow this.", { status: 403 });
    }
    return handler(request);
  };
  return requireTeamRole;
}

/** Allows everyone to see pages, and administrators to change them. */
export const requireAdminForChanges: Web.Middleware = (handler) => {
  const forAdmins = User.Web.requireAdmin({ loginPath: "/login" })(handler);
  return (request) => (/\/(?:new|edit)$/.test(request.path) || request.method !== "GET" ? forAdmins : handler)(request);
};

/** Returns the call context of a request: the user, and whether they see all teams. */
export async function currentUser(request: Web.Request) {
  const { id, admin } = await User.Web.userOrThrow(request);
  return [
    ["user_id", id],
    ["admin", String(admin)],
  ] as const;
}
