export { type ReadToken, userFromToken, type UserFromTokenOptions } from "./user-from-token.ts";
export {
  byUser,
  client,
  login,
  logout,
  logoutElsewhere,
  logoutEverywhere,
  middleware,
  sessions,
  user,
  userOrThrow,
} from "./current-user.ts";
export {
  requireAdmin,
  requireConfirmed,
  type RequireConfirmedOptions,
  type RequireOptions,
  requireUser,
  returnPath,
} from "./guards.ts";
