import type { Service } from "../../../core/index.ts";

/** Part of the user service that finds the owner of a token. */
export interface OwnerUserService extends Service.Service {
  /** Finds a user by e-mail address. Throws E_USER_NOT_FOUND for an unknown one. */
  findByEmail(email: string): Promise<{ readonly id: string }>;
}

/** Returns true for the user service of an application. Tokens do not depend on it: an application may have none. */
export const isUserService = (service: Service.Service): service is OwnerUserService =>
  "findByEmail" in service && service.commands.some(({ name }) => name === "user.list");
