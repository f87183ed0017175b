import { Command, lazy, type Service } from "../../core/index.ts";
import type { StoredTokenService, TokenService } from "./contract.ts";
import { isUserService } from "./engine/owner.ts";

// Few processes run a command, so the code loads on demand (docs/decisions/017).
const loadRuns = lazy(() => import("./engine/run-commands.ts"));

/** Returns the commands of a token service. Listing and ending by id need a service that stores records. */
export function tokenCommands(getService: () => TokenService | StoredTokenService): readonly Command.Command[] {
  const dependencies = (): readonly TokenService[] => [getService()];
  // The user service starts only to look up an address.
  const ownerDependencies = (args: readonly string[], services: readonly Service.Service[]): Service.Service[] => [
    getService(),
    ...(args.some((arg) => arg.includes("@")) ? services.filter(isUserService) : []),
  ];

  return [
    Command.make({
      name: "token.create",
      usage:
        "<purpose> [--owner <id or email>] [--name <name>] [--ability <ability>]… [--expires <duration>] [--data <json>] [--json]",
      description: "Creates a token and prints it once",
      details: async () => (await loadRuns()).createDetails,
      dependencies: ownerDependencies,
      run: async (args, context) => (await loadRuns()).createToken(getService(), args, context),
    }),
    Command.make({
      name: "token.list",
      usage: "[--owner <id or email>] [--purpose <purpose>] [--json]",
      description: "Lists tokens, newest first, without the secret tokens themselves",
      dependencies: ownerDependencies,
      run: async (args, context) => (await loadRuns()).listTokens(getService(), args, context),
    }),
    Command.make({
      name: "token.revoke",
      usage: "<id> | --owner <id or email> [--purpose <purpose>]",
      description: "Ends a token by its id, or all tokens of an owner",
      dependencies: ownerDependencies,
      run: async (args, context) => (await loadRuns()).revokeTokens(getService(), args, context),
    }),
    Command.make({
      name: "token.purge",
      usage: "[--json]",
      description: "Deletes the records of expired tokens",
      dependencies,
      run: async (args, context) => (await loadRuns()).purgeTokens(getService(), args, context),
    }),
  ];
}
