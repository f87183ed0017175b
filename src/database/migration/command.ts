import { Command, type Service } from "../../core/index.ts";
import type { Database } from "../database.ts";
import type { Migration } from "./step.ts";

/** The command `migrate`. It starts the database only, so that it runs where the application refuses to start. */
export function command(
  database: Database,
  collect: (services: readonly Service.Service[]) => readonly Migration[],
): Command.Command {
  return Command.make({
    name: "migrate",
    usage:
      "[--dry-run] [--json] | status [--json] | down [<count>] [--force] | resolve <namespace> <number> --applied|--retry",
    description: "Runs pending migrations, shows where they stand, or takes the last ones back",
    dependencies: () => [database],
    run: async (args, { services, output }) => {
      const { migrate } = await import("./migrate.ts");
      return migrate(database, collect(services), args, output);
    },
  });
}
