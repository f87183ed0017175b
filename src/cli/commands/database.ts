import { Command } from "../../core/index.ts";

const details = `Edits service/service.ts, package.json, .env, .env.test, compose.yaml, the CI workflow and the documents. Changes of your own stay:
where they touch the same lines, the new version is written next to the file, with the ending .new. gen.undo takes it
back, except for .env, where the old lines stay as comments. The data of the old database is not copied.

For example:
  database postgresql`;

/** Command `database`, which changes a project to another database. */
export const database: Command.Command = Command.make({
  name: "database",
  usage: "<sqlite|postgresql|mariadb> [--dry-run]",
  description: "Changes the project to another database",
  details,
  // Imported on demand, so that all other commands start faster.
  run: async (args, { output }) => (await import("../database/switch-database.ts")).switchDatabase(args, output),
});
