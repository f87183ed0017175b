import { Command } from "../../core/index.ts";

/** Command `database`, which changes a project to another database. */
export const database: Command.Command = Command.make({
  name: "database",
  usage: "<sqlite|postgresql|mariadb> [--dry-run]",
  description: "Changes the project to another database",
  details: async () => (await import("./details.ts")).databaseDetails,
  // Imported on demand, so that all other commands start faster.
  run: async (args, { output }) => (await import("../../generators/index.ts")).switchDatabase(args, output),
});
