export { type ReadToken, userFromToken, type UserFromTokenOptions } from "./bearer/web.ts";
export {
  login,
  logout,
  logoutElsewhere,
  logoutEverywhere,
  middleware,
  sessions,
  user,
  userOrThrow,
} from "./current/web.ts";
export { requireAdmin, type RequireOptions, requireUser, returnPath } from "./guard/web.ts";
