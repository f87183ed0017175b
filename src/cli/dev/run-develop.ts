import { ConfigurationInternals } from "../../config/index.ts";
import { Command } from "../../core/index.ts";
import { runDevelopmentServer } from "./develop.ts";

/** Runs the command `dev`. Returns `undefined` for wrong arguments. @throws E_DEVELOP_LISTEN */
export async function runDevelop(args: readonly string[], signal: AbortSignal): Promise<Command.Done | undefined> {
  if (!args.every((arg) => arg === "--migrate" || arg === "--no-types")) return undefined;
  await runDevelopmentServer(ConfigurationInternals.root(), {
    signal,
    migratesAtStart: args.includes("--migrate"),
    checksTypes: !args.includes("--no-types"),
  });
  return Command.done;
}
