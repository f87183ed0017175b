/** Details in the help of the command `deploy` of limmat. */
export const deployDetails: string = `Actions, each with hosts as arguments or from deploy.json:
  deploy [--env=<file>] [--dirty] [--dry-run]      migrates and switches to a new release
  deploy setup [--env=<file>]                      creates folders, configuration and units only
  deploy rollback [--to=<release>]                 returns to the release before
  deploy status                                    shows releases, workers and health
  deploy logs [--lines=<n>] [--follow] [--errors]  shows the end of the log
  deploy restart                                   starts the server again

  --env         copies a file with the configuration of production to the host, for its user only
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
