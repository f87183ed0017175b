import { Command } from "limmat";
import { parseArgs } from "node:util";
import { deploy, type DeployContext, type DeployRun, rollback, setup } from "./deploy.ts";
import { printLogs, printStatus, restart } from "./inspect-host.ts";
import { type DeploySettings, readSettings } from "./settings.ts";
import { connectSsh, parseDestination } from "./ssh.ts";
import { errors } from "./errors.ts";

const actions = ["setup", "rollback", "status", "logs", "restart"] as const;

type Action = (typeof actions)[number] | "deploy";

const options = {
  folder: { type: "string" },
  name: { type: "string" },
  service: { type: "string" },
  workers: { type: "string" },
  health: { type: "string" },
  "ssh-config": { type: "string" },
  "allow-root": { type: "boolean" },
  env: { type: "string" },
  dirty: { type: "boolean" },
  "dry-run": { type: "boolean" },
  to: { type: "string" },
  lines: { type: "string" },
  follow: { type: "boolean" },
  errors: { type: "boolean" },
} as const;

/** Options that only some of the actions have. */
const actionOptions: Readonly<Record<Action, readonly (keyof typeof options)[]>> = {
  deploy: ["env", "dirty", "dry-run"],
  setup: ["env"],
  rollback: ["to"],
  logs: ["lines", "follow", "errors"],
  status: [],
  restart: [],
};

/** Runs the command `deploy` of limmat with its arguments. Returns `undefined` for wrong arguments. */
export async function runDeploy(args: readonly string[], context: DeployContext): Promise<Command.Done | undefined> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [first] = positionals;
  const action: Action = actions.find((name) => name === first) ?? "deploy";
  const hosts = action === "deploy" ? positionals : positionals.slice(1);
  const specific = new Set(Object.values(actionOptions).flat());
  const isForeign = (name: string): boolean =>
    specific.has(name as keyof typeof options) && !actionOptions[action].some((option) => option === name);
  if (Object.keys(values).some(isForeign)) return undefined;
  const lines = Number(values.lines ?? 100);
  if (!Number.isInteger(lines) || lines < 0) return undefined;

  const settings = readSettings(context.root, {
    hosts: hosts.length === 0 ? undefined : hosts,
    folder: values.folder,
    name: values.name,
    service: values.service,
    workers: values.workers,
    health: values.health,
    sshConfig: values["ssh-config"],
    allowRoot: values["allow-root"],
  });
  // All hosts are checked before the first one is changed.
  const destinations = settings.hosts.map(parseDestination);
  let isHealthy = true;
  for (const destination of destinations) {
    await withConnection(destination, settings, context, async (run) => {
      switch (action) {
        case "deploy": {
          const { dirty: isDirty = false, "dry-run": isDryRun = false, env: envFile } = values;
          return deploy(run, { isDirty, isDryRun, envFile });
        }
        case "setup":
          return setup(run, values.env);
        case "rollback":
          return rollback(run, values.to);
        case "restart":
          return restart(run);
        case "status":
          isHealthy = (await printStatus(run)) && isHealthy;
          return;
        case "logs":
          return printLogs(run, { lines, isFollowing: values.follow ?? false, onlyErrors: values.errors ?? false });
      }
    });
  }
  if (!isHealthy) throw errors.E_DEPLOY_UNHEALTHY();
  return Command.done;
}

async function withConnection(
  destination: ReturnType<typeof parseDestination>,
  settings: DeploySettings,
  context: DeployContext,
  task: (run: DeployRun) => Promise<void>,
): Promise<void> {
  const remote = await connectSsh(destination, { configFile: settings.sshConfig, signal: context.signal });
  try {
    await task({ remote, settings, context });
  } finally {
    await remote.close();
  }
}
