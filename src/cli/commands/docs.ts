import { Command } from "../../core/index.ts";

/** Command `docs`, which serves the documentation of the installed version until a signal ends it. */
export const docs: Command.Command = Command.make({
  name: "docs",
  usage: "[--port <port>]",
  description: "Serves the documentation of this version on this machine, without a network connection",
  details: `The pages come from the package: guide, tutorial, reference of all exports, and search. The server listens on 127.0.0.1,
on a free port unless --port names one, and prints its address. Ctrl-C ends it. The command starts no service.`,
  isLongRunning: true,
  run: async (args, { output, signal }) => {
    // Imported on demand, so that all other commands start faster.
    const { runDocs } = await import("../docs/run-docs.ts");
    return runDocs(args, output, signal);
  },
});
