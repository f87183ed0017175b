import { Command } from "../../core/index.ts";
import type { AppDefinition } from "../contract.ts";

/**
 * Creates the command `doctor`, which checks Node, configuration, secret and services, and reports problems with advice.
 * It fails if there is a problem. With `--production` it checks whether the application is ready for production.
 */
export function doctorCommand(definition: AppDefinition): Command.Command {
  return Command.make({
    name: "doctor",
    usage: "[--production] [--json]",
    description: "Checks configuration, secret, database, migrations and headers, and advises what to do",
    // Imported on demand, so that all other commands start faster.
    run: async (args, { output }) => (await import("./run-doctor.ts")).runDoctor(definition, args, output),
  });
}
