export { accountRouter } from "./account/account-router.ts";
export { impersonationRouter, type ImpersonationRouterOptions } from "./impersonation-router.ts";
export { registrationFields } from "./account/registration-fields.ts";
export type { AccountRouterOptions, RegistrationForm } from "./account/pages.ts";
export type { AccountComponents, AccountData, AccountView, AccountViews } from "./account/views.ts";
export { type ReadToken, userFromToken, type UserFromTokenOptions } from "./user-from-token.ts";
export {
  byUser,
  client,
  current,
  login,
  type LoginOptions,
  logout,
  logoutElsewhere,
  logoutEverywhere,
  middleware,
  sessions,
  user,
  type UserMiddlewareOptions,
  userOrThrow,
} from "./current-user.ts";
export {
  requireAdmin,
  requireConfirmed,
  type RequireConfirmedOptions,
  type RequireOptions,
  requireSelf,
  requireUser,
  returnPath,
} from "./guards.ts";
