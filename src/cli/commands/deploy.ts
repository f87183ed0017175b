import { Command } from "../../core/index.ts";

const details = `Actions, each with hosts as arguments or from deploy.json:
  deploy [<user@host>...] [--env=<file>] [--dirty] [--dry-run]   copies, checks, migrates and switches to a new release
  deploy setup [--env=<file>]                                    creates folders, configuration and units only
  deploy rollback [--to=<release>]                               returns to the release before
  deploy status                                                  shows releases, workers and health
  deploy logs [--lines=<n>] [--follow] [--errors]                shows the end of the log
  deploy restart                                                 starts the server again, with the Node of the release

  --env         copies a file with the configuration of production to the host, readable by its user only
  --dirty       deploys files that are not committed as well
  --dry-run     prints the steps and changes nothing
  --folder      folder on the host (default: the name of the package, in the home folder)
  --name        name of the service (default: the name of the package)
  --workers     number of processes, or auto for one per core (default)
  --health      path that answers 200 if the release is ready (default: /health/ready)
  --service     systemd-user, systemd (with sudo) or process (default: what the host has)
  --ssh-config  configuration file of ssh
  --allow-root  lets the application run as root

deploy.json stores settings: { "host": "deploy@example.com", "workers": 4, "keepReleases": 5 }`;

/** Command `deploy`, which deploys the project to a host over ssh. */
export const deploy: Command.Command = Command.make({
  name: "deploy",
  usage: "[setup|rollback|status|logs|restart] [<user@host>...] [options]",
  description: "Deploys the committed project to a host over ssh, without losing a request",
  details,
  run: async (args, context) => {
    // Imported on demand, so that all other commands start faster.
    const { runDeploy } = await import("../deploy/run-deploy.ts");
    return runDeploy(args, context);
  },
});
