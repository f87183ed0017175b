import { ConfigurationInternals } from "../../config/index.ts";
import { Command } from "../../core/index.ts";

/** Command `dev`, which runs the development server. The program `limmat` runs it without loading the application. */
export const dev: Command.Command = Command.make({
  name: "dev",
  usage: "[--migrate] [--no-types]",
  description: "Starts the development server, which restarts the application on every change",
  details: async () => (await import("./details.ts")).devDetails,
  isLongRunning: true,
  run: async (args, { signal }) => {
    if (!args.every((arg) => arg === "--migrate" || arg === "--no-types")) return undefined;
    // Imported on demand, so that all other commands start faster.
    const { runDevelopmentServer } = await import("../dev/develop.ts");
    const checksTypes = !args.includes("--no-types");
    const migratesAtStart = args.includes("--migrate");
    await runDevelopmentServer(ConfigurationInternals.root(), { signal, migratesAtStart, checksTypes });
    return Command.done;
  },
});
