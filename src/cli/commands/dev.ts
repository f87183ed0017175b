import { Command } from "../../core/index.ts";

/** Command `dev`, which runs the development server. The program `limmat` runs it without loading the application. */
export const dev: Command.Command = Command.make({
  name: "dev",
  usage: "[--migrate] [--no-types]",
  description: "Starts the development server, which restarts the application on every change",
  details: async () => (await import("./details.ts")).devDetails,
  isLongRunning: true,
  // Imported on demand, so that all other commands start faster.
  run: async (args, { signal }) => (await import("../../development/index.ts")).runDevelop(args, signal),
});
