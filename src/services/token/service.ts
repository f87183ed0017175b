import { refuseImpersonator } from "../../authorization/index.ts";
import { Cleaner } from "../../cleaner/index.ts";
import { background, Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { type PeriodicTask, startPeriodicTask, Time } from "../../time/index.ts";
import type { Audit } from "../audit/contract.ts";
import { tokenCommands } from "./commands.ts";
import type { OwnerOptions, StoredTokenService, TokenService } from "./contract.ts";
import { recordUserService } from "./engine/owner.ts";

const log = Log.source("limmat.token");

/** Makes a token service of its operations, whose records are in a database, or in a map of this process. */
export function tokenService<Operations extends Omit<TokenService, keyof Service.Service>>(
  definition: Service.ServiceDefinition,
  records: Database | Map<string, unknown>,
  operations: Operations,
  audit: Audit | undefined,
): Service.Service & Operations {
  const purgeTask: PeriodicTask = {
    intervalMs: Time.minutes(5),
    run: (options) => operations.purge(options),
    onError: (error) => log.warning("The records of expired tokens could not be deleted", { error }),
  };
  const service: Service.Service & Operations = {
    ...Service.make({
      ...definition,
      dependencies: () => [...(records instanceof Map ? [] : [records]), ...(audit === undefined ? [] : [audit])],
      commands: tokenCommands(() => service),
      ...background((context) => {
        recordUserService(service, context);
        if (!(records instanceof Map)) return [records.registerExpiry(purgeTask)];
        const unregister = Cleaner.register(definition.name, () => records.clear(), { isInMemory: true });
        return [unregister, startPeriodicTask(purgeTask)];
      }),
    }),
    ...refusingImpersonators(operations),
  };
  return service;
}

/** Returns the operations so that they fail with E_IMPERSONATED while an administrator acts as the owner of the tokens. */
function refusingImpersonators<Operations extends Omit<TokenService, keyof Service.Service>>(
  operations: Operations & Partial<Pick<StoredTokenService, "deactivateById">>,
): Operations {
  const { deactivateById } = operations;
  const refusing = (run: TokenService["deleteAll"]) => async (options: OwnerOptions) => {
    refuseImpersonator(options.owner);
    return run(options);
  };
  return {
    ...operations,
    deactivateAll: refusing(operations.deactivateAll),
    deleteAll: refusing(operations.deleteAll),
    ...(deactivateById && {
      deactivateById: async (id: string, options: Parameters<typeof deactivateById>[1] = {}) => {
        refuseImpersonator(options.owner);
        return deactivateById(id, options);
      },
    }),
  };
}
