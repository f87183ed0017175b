import { readFileSync } from "node:fs";
import { Random } from "limmat";
import { renderStub } from "./stub.ts";
import { errors } from "./errors.ts";
import { sh } from "./shell.ts";
import { runStep, type DeployTarget } from "./target.ts";

/** Name of the file with the configuration of the host, in `shared` and linked by each release. */
export const hostEnvFile = ".env.production.local";

/**
 * Creates the folders, the configuration file and the launchers of the application, and installs its units. Running it again
 * changes only what differs.
 *
 * @param envFile local file that replaces the configuration of the host; `undefined` to keep it.
 * @throws E_DEPLOY_SETTING if the file cannot be read, E_DEPLOY_STEP
 */
export async function prepareHost(target: DeployTarget, envFile: string | undefined): Promise<void> {
  const { facts, manager, progress, settings } = target;
  const { folder } = facts;
  await progress.step("prepare the host", async (setDetail) => {
    await runStep(
      target,
      "prepare the host",
      sh`folder=${folder}
mkdir -p "$folder/bin" "$folder/run" "$folder/releases" "$folder/shared/logs"
mkdir -p -m 700 "$folder/shared/database" "$folder/shared/storage" "$folder/shared/backups"
printf '%s' ${renderStub("app.sh", { folder })} >"$folder/bin/app"
printf '%s' ${renderNightly(target)} >"$folder/bin/nightly"
chmod 750 "$folder/bin/app" "$folder/bin/nightly"`,
    );
    await writeHostEnv(target, envFile);
    const installed = await runStep(
      target,
      "install the service",
      sh`${manager.install()}
printf '%s\n' ${manager.kind} >${`${folder}/run/service`}`,
    );
    const isChanged = installed.split("\n").includes("changed");
    setDetail(`${folder}, ${manager.kind}`);
    if (isChanged && facts.current !== undefined && facts.lastService === manager.kind) {
      progress.note(`The unit of ${settings.name} has changed: "deploy restart" applies it.`);
    }
  });
}

const renderNightly = ({ facts: { folder }, application }: DeployTarget): string =>
  renderStub("nightly.sh", { folder, backups: application.backupCommands.join(" ") });

/** Keys that a deployment adds to the configuration of a host if they are missing, so that data lies outside of releases. */
export function hostDefaults({ facts, application }: DeployTarget): Readonly<Record<string, string>> {
  const shared = `${facts.folder}/shared`;
  return {
    FRAMEWORK_SECRET: Random.token(),
    HOST: "127.0.0.1",
    TRUSTED_PROXIES: "127.0.0.1",
    LOGS_DIR: `${shared}/logs`,
    MAINTENANCE_FILE: `${shared}/maintenance.json`,
    ...(application.storesFiles ? { STORAGE_DIR: `${shared}/storage` } : {}),
    ...Object.fromEntries(
      Object.entries(application.sqliteKeys).map(([key, file]) => [key, `sqlite:${shared}/database/${file}`]),
    ),
  };
}

/**
 * Writes the configuration of the host, which only its user can read. Values pass through the connection alone: they are in
 * no command line.
 */
async function writeHostEnv(target: DeployTarget, envFile: string | undefined): Promise<void> {
  const file = `${target.facts.folder}/shared/${hostEnvFile}`;
  const defaults = hostDefaults(target);
  const additions = Object.entries(defaults).map(([key, value]) => sh`add ${key} ${value}`.text);
  const input = envFile === undefined ? undefined : readEnvFile(envFile);
  await runStep(
    target,
    "write the configuration",
    sh`umask 077
file=${file}
[ -e "$file" ] || : >"$file"
chmod 600 "$file"
has() { grep -Eq "^[[:space:]]*(export[[:space:]]+)?$1[[:space:]]*=" "$2"; }
if [ ${input === undefined ? "keep" : "replace"} = replace ]; then
  cat >"$file.next"
  for key in ${Object.keys(defaults)}; do
    if ! has "$key" "$file.next" && has "$key" "$file"; then
      printf '\\n' >>"$file.next"
      grep -E "^[[:space:]]*(export[[:space:]]+)?$key[[:space:]]*=" "$file" >>"$file.next"
    fi
  done
  mv -f "$file.next" "$file"
fi
add() {
  if has "$1" "$file"; then return; fi
  if [ -n "$(tail -c 1 "$file")" ]; then printf '\\n' >>"$file"; fi
  printf '%s=%s\\n' "$1" "$2" >>"$file"
}
${{ text: additions.join("\n") }}`,
    input === undefined ? {} : { input },
  );
}

function readEnvFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw errors.E_DEPLOY_SETTING("env", `names ${path}, which cannot be read`).causedBy(cause);
  }
}
