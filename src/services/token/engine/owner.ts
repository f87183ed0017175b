import type { Service } from "../../../core/index.ts";

/** Part of the user service that finds the owner of a token. */
export interface OwnerUserService extends Service.Service {
  /** Finds a user by e-mail address. Throws E_USER_NOT_FOUND for an unknown one. */
  findByEmail(email: string): Promise<{ readonly id: string }>;
  /** Finds a user by id. Returns `undefined` for an unknown one. */
  findOpt(id: string): Promise<{ readonly status: string } | undefined>;
}

/** Returns true for the user service of an application. Tokens do not depend on it: an application may have none. */
export const isUserService = (service: Service.Service): service is OwnerUserService => service.role === "users";

const userServiceKey: unique symbol = Symbol("user service of the run");

/** Token service that has started. */
interface StartedService extends Service.Service {
  [userServiceKey]?: OwnerUserService | undefined;
}

/** Records the user service of the run in which a token service starts. */
export function recordUserService(tokenService: StartedService, { services }: Service.StartContext): void {
  tokenService[userServiceKey] = services.find(isUserService);
}

/** Returns the user service of the application in which a token service runs. */
export const userServiceOf = (tokenService: StartedService): OwnerUserService | undefined =>
  tokenService[userServiceKey];
