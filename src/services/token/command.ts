import { Command } from "../../core/index.ts";
import type * as Work from "./command-work.ts";
import type { StoredTokenService, TokenService } from "./contract.ts";

/** The commands of a token service: `list` and ending by id only where tokens are kept. */
export function commands(service: () => TokenService | StoredTokenService): readonly Command.Command[] {
  const dependencies = (): readonly TokenService[] => [service()];
  // Most starts never need it (docs/decisions/008).
  const work = (): Promise<typeof Work> => import("./command-work.ts");

  return [
    Command.make({
      name: "token.create",
      usage:
        "<purpose> [--owner <id>] [--name <name>] [--ability <ability>]… [--expires <duration>] [--data <json>] [--json]",
      description: "Makes a token and prints it, this once",
      details:
        "The token goes to the standard output and nowhere else. It is valid for a day, or as long as --expires says\n" +
        "(30m, 12h, 90d). For example:\n  token.create api --owner 7d0c… --name laptop --ability todos:read --expires 90d",
      dependencies,
      run: async (args, context) => (await work()).create(service(), args, context),
    }),
    Command.make({
      name: "token.list",
      usage: "[--owner <id>] [--purpose <purpose>] [--json]",
      description: "Lists tokens, the newest first: never the tokens themselves",
      dependencies,
      run: async (args, context) => (await work()).list(service(), args, context),
    }),
    Command.make({
      name: "token.revoke",
      usage: "<id> | --owner <id> [--purpose <purpose>]",
      description: "Ends a token by its id, or all tokens of an owner",
      dependencies,
      run: async (args, context) => (await work()).revoke(service(), args, context),
    }),
    Command.make({
      name: "token.purge",
      usage: "[--json]",
      description: "Deletes what is kept of expired tokens",
      dependencies,
      run: async (args, context) => (await work()).purge(service(), args, context),
    }),
  ];
}
