import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigurationInternals } from "../../config/index.ts";
import { Command, messageOf } from "../../core/index.ts";
import { errors } from "../errors.ts";

/** Exports of the package `limmat-deploy`. */
interface DeployPackage {
  readonly deployDetails: string;
  readonly runDeploy: (
    args: readonly string[],
    context: Command.CommandContext & { readonly root: string },
  ) => Promise<Command.Done | undefined>;
}

/** Imports the package from the project. @throws E_DEPLOY_MISSING */
async function importPackage(): Promise<DeployPackage> {
  let path: string;
  try {
    path = createRequire(join(ConfigurationInternals.root(), "package.json")).resolve("limmat-deploy");
  } catch (cause) {
    const { frameworkVersion } = await import("../../project/index.ts");
    throw errors.E_DEPLOY_MISSING(frameworkVersion()).causedBy(cause);
  }
  return (await import(pathToFileURL(path).href)) as DeployPackage;
}

/** Command `deploy`, which deploys the project to a host over ssh. The package `limmat-deploy` contains it. */
export const deploy: Command.Command = Command.make({
  name: "deploy",
  usage: "[setup|rollback|status|logs|restart] [<user@host>...] [options]",
  description: "Deploys the committed project to a host over ssh, without losing a request",
  details: () => importPackage().then(({ deployDetails }) => deployDetails, messageOf),
  run: async (args, context) => {
    const { runDeploy } = await importPackage();
    return runDeploy(args, { ...context, root: ConfigurationInternals.root() });
  },
});
