import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "./errors.ts";

/** File with the settings of deployments, in the folder of the project. */
export const settingsFile = "deploy.json";

/** Ways to run the application on a host: a unit of the user or of the system, or a process without a service manager. */
export const serviceKinds = ["systemd-user", "systemd", "process"] as const;

/** Way to run the application on a host. */
export type ServiceKind = (typeof serviceKinds)[number];

/** Settings of deployments, from `deploy.json` and the command line. */
export interface DeploySettings {
  readonly hosts: readonly string[];
  /** Name of the service. Default: the name of the package. */
  readonly name: string;
  /** Folder on the host, absolute or relative to the home folder. Default: the name. */
  readonly folder: string;
  /** Number of worker processes. Default `auto`: one per core. */
  readonly workers: string;
  /** Path that answers 200 if the application is ready. Default `/health/ready`. */
  readonly health: string;
  /** Maximum time until a new release is healthy, in seconds. Default 30. */
  readonly healthTimeoutSeconds: number;
  /** Default `auto`: the one that the host offers. */
  readonly service: ServiceKind | "auto";
  /** Number of releases that stay on the host. Default 5. */
  readonly keepReleases: number;
  /** Files that git ignores and a release needs, such as `public/built`. Default none. */
  readonly include: readonly string[];
  /** Path of a configuration file of ssh. Default: the one of the user. */
  readonly sshConfig: string | undefined;
  /** True if the application may run as root. Default false. */
  readonly allowRoot: boolean;
}

/** Settings as they are given: some of them. The file has `host`, a text or a list, instead of `hosts`. */
type GivenSettings = Partial<Record<keyof DeploySettings | "host", unknown>>;

type Check = (value: unknown) => string | undefined;

const matches =
  (pattern: RegExp, problem: string): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? undefined : problem;

const isWhole =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;

const isTextList: Check = (value) =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string") ? undefined : "must be a list of texts";

/**
 * Checks by setting. Names and folders are parts of units, cron tables and scripts that administrators copy, so that they
 * have no blanks and no special characters.
 */
const checks: Readonly<Record<keyof DeploySettings | "host", Check>> = {
  host: (value) => (typeof value === "string" ? undefined : isTextList(value)),
  hosts: isTextList,
  name: matches(/^[a-z][a-z0-9_-]{0,49}$/, "must begin with a-z, and have at most 50 letters a-z, digits, - and _"),
  folder: (value) => folderProblem(value),
  workers: (value) =>
    value === "auto" || /^[1-9]\d{0,2}$/.test(String(value))
      ? undefined
      : 'must be a number, or "auto" for one per core',
  health: matches(/^\/[\w./~-]*$/, "must be a path that begins with a slash"),
  healthTimeoutSeconds: isWhole(1, 600),
  service: (value) =>
    ["auto", ...serviceKinds].some((kind) => kind === value) ? undefined : `must be auto, ${serviceKinds.join(", ")}`,
  keepReleases: isWhole(2, 100),
  include: (value) =>
    isTextList(value) ?? ((value as string[]).every(isInside) ? undefined : "must list paths inside the project"),
  sshConfig: matches(/^[^-]/, "must be the path of a file"),
  allowRoot: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
};

/** Returns the reason why a folder cannot be used on the host; `undefined` for a valid one. */
export function folderProblem(value: unknown): string | undefined {
  const isValid =
    typeof value === "string" && /^\/?[\w@+][\w.@+-]*(?:\/[\w@+][\w.@+-]*)*$/.test(value) && !/^\/[^/]*$/.test(value);
  return isValid
    ? undefined
    : "must be a path such as /srv/my-app, or my-app in the home folder, of letters, digits and . _ - @ +";
}

const isInside = (path: string): boolean => /^[^/\0-]/.test(path) && !path.split("/").includes("..");

/**
 * Reads `deploy.json`, and applies the settings of the command line.
 *
 * @throws E_DEPLOY_SETTING, E_DEPLOY_HOST if there is no host.
 */
export function readSettings(root: string, given: GivenSettings): DeploySettings {
  const { host, ...stored } = checkSettings(readFile(join(root, settingsFile)));
  const hostsOfFile = host === undefined ? undefined : [host].flat();
  const values: GivenSettings = { ...stored, ...withoutUndefined({ hosts: hostsOfFile }) };
  Object.assign(values, checkSettings(withoutUndefined(given)));
  const checkedValues = values as Partial<Omit<DeploySettings, "workers">> & { readonly workers?: string | number };
  const { hosts = [], name = packageName(root) } = checkedValues;
  if (hosts.length === 0) throw errors.E_DEPLOY_HOST(undefined);
  return {
    folder: name,
    health: "/health/ready",
    healthTimeoutSeconds: 30,
    service: "auto",
    keepReleases: 5,
    include: [],
    sshConfig: undefined,
    allowRoot: false,
    ...checkedValues,
    hosts,
    name,
    workers: String(checkedValues.workers ?? "auto"),
  };
}

/** Returns the settings if all of them are valid. @throws E_DEPLOY_SETTING */
function checkSettings(values: GivenSettings): GivenSettings {
  for (const [key, value] of Object.entries(values)) {
    const check = Object.hasOwn(checks, key) ? checks[key as keyof typeof checks] : undefined;
    const names = Object.keys(checks).filter((name) => name !== "hosts");
    const problem = check === undefined ? `does not exist. Settings are ${names.join(", ")}` : check(value);
    if (problem !== undefined) throw errors.E_DEPLOY_SETTING(key, problem);
  }
  return values;
}

function readFile(path: string): GivenSettings {
  if (!existsSync(path)) return {};
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof content === "object" && content !== null && !Array.isArray(content)) return content;
  } catch (cause) {
    throw errors.E_DEPLOY_SETTING(settingsFile, "is not valid JSON").causedBy(cause);
  }
  throw errors.E_DEPLOY_SETTING(settingsFile, 'must contain an object, such as { "host": "deploy@example.com" }');
}

const withoutUndefined = (values: GivenSettings): GivenSettings =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Returns the name of the package as the name of a service: without scope, in letters that units and folders may have. */
function packageName(root: string): string {
  let name: unknown;
  try {
    ({ name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly name?: unknown });
  } catch {
    // A project without a readable package.json: the check below asks for a name.
  }
  const service = (typeof name === "string" ? name : "")
    .replace(/^@[^/]*\//, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 50);
  const problem = checks.name(service);
  if (problem !== undefined) throw errors.E_DEPLOY_SETTING("name", `${problem}. Set it in ${settingsFile}`);
  return service;
}
