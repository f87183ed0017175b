export { type ReadToken, userFromToken } from "./bearer/web.ts";
export { login, logout, logoutElsewhere, logoutEverywhere, middleware, sessions, user } from "./current/web.ts";
export { requireAdmin, type RequireOptions, requireUser, returnPath } from "./guard/web.ts";
