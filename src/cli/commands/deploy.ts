import { Command } from "../../core/index.ts";

/** Command `deploy`, which deploys the project to a host over ssh. */
export const deploy: Command.Command = Command.make({
  name: "deploy",
  usage: "[setup|rollback|status|logs|restart] [<user@host>...] [options]",
  description: "Deploys the committed project to a host over ssh, without losing a request",
  details: async () => (await import("./details.ts")).deployDetails,
  run: async (args, context) => {
    // Imported on demand, so that all other commands start faster.
    const { runDeploy } = await import("../deploy/run-deploy.ts");
    return runDeploy(args, context);
  },
});
