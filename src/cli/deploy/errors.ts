import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_DEPLOY_HOST: {
    message: (given: string | undefined): string =>
      given === undefined
        ? 'No host is given. Name it, as in "deploy user@example.com", or set "host" in deploy.json.'
        : `"${given}" is not a host. Use user@example.com, a name of your ssh configuration, or user@example.com:2222.`,
  },
  E_DEPLOY_SETTING: {
    message: (name: string, problem: string): string => `The setting "${name}" ${problem}.`,
  },
  E_DEPLOY_CONNECTION: {
    message: (host: string, reason: string): string =>
      `No ssh connection to ${host}: ${reason}. Check that "ssh ${host}" logs in.`,
  },
  E_DEPLOY_LOCKED: {
    message: (host: string, owner: string): string =>
      `Another deployment runs on ${host}${owner === "" ? "" : ` (${owner})`}. Wait until it ends: its lock ends with its connection.`,
  },
  E_DEPLOY_GIT: {
    message: (problem: string): string => `The project cannot be packed: ${problem}.`,
  },
  E_DEPLOY_REQUIREMENT: {
    message: (host: string, problem: string): string => `${host} is not ready for a deployment: ${problem}.`,
  },
  E_DEPLOY_STEP: {
    message: (step: string, output: string): string =>
      `The step "${step}" failed, and the running release has not changed.\n${output}`.trimEnd(),
  },
  E_DEPLOY_HEALTH: {
    message: (release: string, outcome: string, reason: string): string =>
      `Release ${release} is not healthy: ${outcome}\n${reason}`.trimEnd(),
  },
  E_DEPLOY_UNHEALTHY: {
    message: (): string => "The server is not healthy: see above.",
  },
  E_DEPLOY_RELEASE: {
    message: (problem: string, releases: readonly string[]): string =>
      `${problem}. ${releases.length === 0 ? "There are no releases on the host." : `Releases on the host: ${releases.join(", ")}.`}`,
  },
};

/** Errors of deployments. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
