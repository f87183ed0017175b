export { type ReadToken, userFromToken, type UserFromTokenOptions } from "./bearer/web.ts";
export {
  byUser,
  login,
  logout,
  logoutElsewhere,
  logoutEverywhere,
  middleware,
  sessions,
  user,
  userOrThrow,
} from "./current/web.ts";
export {
  requireAdmin,
  requireConfirmed,
  type RequireConfirmedOptions,
  type RequireOptions,
  requireUser,
  returnPath,
} from "./guard/web.ts";
