import { AsyncLocalStorage } from "node:async_hooks";
import { errors } from "./errors.ts";

/** Ids of a user, and of the administrator who acts as this user. */
export interface CurrentImpersonation {
  readonly user: string;
  readonly impersonator: string;
}

/** Impersonation of the current request, which `User.Web.middleware` sets. */
export const currentImpersonation: AsyncLocalStorage<CurrentImpersonation> = new AsyncLocalStorage({
  name: "limmat.impersonation",
});

/**
 * Refuses a change that only its user may make, while an administrator acts as this user. Without an id it is the change of
 * any user.
 *
 * @throws E_IMPERSONATED (403)
 */
export function refuseImpersonator(userId: string | undefined): void {
  const acting = currentImpersonation.getStore();
  if (acting !== undefined && (userId === undefined || userId.toLowerCase() === acting.user)) {
    throw errors.E_IMPERSONATED();
  }
}
