import { Command } from "../../core/index.ts";

const details = `Install the new version first: npm install limmat@<version>. The command needs no network. It shows the breaking changes since the
version that the project was written for, replaces names that have new names, and brings the changes of the template into the files of
the project. Without --write it only shows what it would change. Start it with "npx limmat upgrade" if the application does not load.

--write  changes the files; where you and the template changed the same lines, the new version is written next to
         the file, with the ending .new
--force  writes even if git cannot take the changes back
--from   the version that the project was written for, if .limmat.json is missing`;

/** Command `upgrade`, which adapts a project to the installed version of the framework. */
export const upgrade: Command.Command = Command.make({
  name: "upgrade",
  usage: "[--write] [--force] [--from=<version>]",
  description: "Adapts the project to the installed version: report, new names, new files of the template",
  details,
  // Imported on demand, so that all other commands start faster.
  run: async (args, { output }) => (await import("../upgrade/upgrade.ts")).upgrade(args, output),
});
