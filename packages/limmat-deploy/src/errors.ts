import { LimmatError } from "limmat";

/** Errors of deployments, by code. */
export const errors = {
  E_DEPLOY_HOST: (given: string | undefined): LimmatError =>
    new LimmatError(
      "E_DEPLOY_HOST",
      given === undefined
        ? 'No host is given. Name it, as in "deploy user@example.com", or set "host" in deploy.json.'
        : `"${given}" is not a host. Use user@example.com, a name of your ssh configuration, or user@example.com:2222.`,
    ),
  E_DEPLOY_SETTING: (name: string, problem: string): LimmatError =>
    new LimmatError("E_DEPLOY_SETTING", `The setting "${name}" ${problem}.`),
  E_DEPLOY_CONNECTION: (host: string, reason: string): LimmatError =>
    new LimmatError(
      "E_DEPLOY_CONNECTION",
      `No ssh connection to ${host}: ${reason}. Check that "ssh ${host}" logs in.`,
    ),
  E_DEPLOY_LOCKED: (host: string, owner: string): LimmatError =>
    new LimmatError(
      "E_DEPLOY_LOCKED",
      `Another deployment runs on ${host}${owner === "" ? "" : ` (${owner})`}. Wait until it ends: its lock ends with its connection.`,
    ),
  E_DEPLOY_GIT: (problem: string): LimmatError =>
    new LimmatError("E_DEPLOY_GIT", `The project cannot be packed: ${problem}.`),
  E_DEPLOY_REQUIREMENT: (host: string, problem: string): LimmatError =>
    new LimmatError("E_DEPLOY_REQUIREMENT", `${host} is not ready for a deployment: ${problem}.`),
  E_DEPLOY_STEP: (step: string, output: string): LimmatError =>
    new LimmatError(
      "E_DEPLOY_STEP",
      `The step "${step}" failed, and the running release has not changed.\n${output}`.trimEnd(),
    ),
  E_DEPLOY_HEALTH: (release: string, outcome: string, reason: string): LimmatError =>
    new LimmatError("E_DEPLOY_HEALTH", `Release ${release} is not healthy: ${outcome}\n${reason}`.trimEnd()),
  E_DEPLOY_UNHEALTHY: (): LimmatError => new LimmatError("E_DEPLOY_UNHEALTHY", "The server is not healthy: see above."),
  E_DEPLOY_RELEASE: (problem: string, releases: readonly string[]): LimmatError =>
    new LimmatError(
      "E_DEPLOY_RELEASE",
      `${problem}. ${releases.length === 0 ? "There are no releases on the host." : `Releases on the host: ${releases.join(", ")}.`}`,
    ),
};
