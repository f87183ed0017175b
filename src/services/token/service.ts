import { Cleaner } from "../../cleaner/index.ts";
import { background, Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { type PeriodicTask, startPeriodicTask, Time } from "../../time/index.ts";
import type { Audit } from "../audit/contract.ts";
import { tokenCommands } from "./commands.ts";
import type { TokenService } from "./contract.ts";
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
    ...operations,
  };
  return service;
}
