import { Command } from "../../core/index.ts";

/** Command `docs`, which serves the documentation of the installed version until a signal ends it. */
export const docs: Command.Command = Command.make({
  name: "docs",
  usage: "[--port <port>]",
  description: "Serves the documentation of this version on this machine, without a network connection",
  details: async () => (await import("./details.ts")).docsDetails,
  isLongRunning: true,
  run: async (args, { output, signal }) => {
    // Imported on demand, so that all other commands start faster.
    const { runDocs } = await import("../docs/run-docs.ts");
    return runDocs(args, output, signal);
  },
});
