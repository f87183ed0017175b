import type { Service } from "../../../core/index.ts";

/** Part of the user service that finds the owner of a token. */
interface OwnerUserService extends Service.Service {
  /** Finds a user by e-mail address. Throws E_USER_NOT_FOUND for an unknown one. */
  findByEmail(email: string): Promise<{ readonly id: string }>;
}

/** Returns the user service of an application. Tokens do not depend on it: an application may have none. */
export function findUserService(services: readonly Service.Service[]): OwnerUserService | undefined {
  return services.find(
    (service): service is OwnerUserService =>
      "findByEmail" in service && service.commands.some(({ name }) => name === "user.list"),
  );
}

/**
 * Returns the owner that an argument of a command names: the id of the user if it is an e-mail address and the
 * application has a user service, otherwise the argument.
 *
 * @throws E_USER_NOT_FOUND
 */
export async function resolveOwner(argument: string, services: readonly Service.Service[]): Promise<string> {
  const userService = argument.includes("@") ? findUserService(services) : undefined;
  return userService === undefined ? argument : (await userService.findByEmail(argument)).id;
}
