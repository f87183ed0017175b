import type { Service } from "../../../core/index.ts";
import type { UserService } from "../../user/contract.ts";

/** Returns true for the user service of an application. Tokens do not depend on it: an application may have none. */
export const isUserService = (service: Service.Service): service is UserService => service.role === "users";

const userServiceKey: unique symbol = Symbol("user service of the run");

interface StartedService extends Service.Service {
  [userServiceKey]?: UserService | undefined;
}

/** Records the user service of the run in which a token service starts. */
export function recordUserService(tokenService: StartedService, { services }: Service.StartContext): void {
  tokenService[userServiceKey] = services.find(isUserService);
}

/** Returns the user service of the application in which a token service runs. */
export const userServiceOf = (tokenService: StartedService): UserService | undefined => tokenService[userServiceKey];
