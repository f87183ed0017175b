import { Command } from "../../core/index.ts";

/** Command `upgrade`, which adapts a project to the installed version of the framework. */
export const upgrade: Command.Command = Command.make({
  name: "upgrade",
  usage: "[--write] [--force] [--from=<version>]",
  description: "Adapts the project to the installed version: changes since its version, new files of the template",
  details: async () => (await import("./details.ts")).upgradeDetails,
  // Imported on demand, so that all other commands start faster.
  run: async (args, { output }) => (await import("../../generators/upgrade/index.ts")).upgrade(args, output),
});
