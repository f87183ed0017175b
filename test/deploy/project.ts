import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { waitFor } from "limmat/testing";
import { createProject } from "../../src/generators/new/create-project.ts";
import { extractPackage, install, type PackedFramework, run, shellEnvironment } from "../new-project/package.ts";
import { freePort } from "../servers/process.ts";
import { runUnderLoad } from "./load.ts";
import { type SshServer, startSshd } from "./sshd.ts";

/** Result of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Project that is deployed to an sshd on this machine. */
export interface DeployedProject extends AsyncDisposable {
  /** Folder of the project. */
  readonly root: string;
  /** Folder on the host. */
  readonly folder: string;
  readonly port: number;
  /** Runs the command `deploy` with arguments. */
  readonly deploy: (...args: readonly string[]) => Promise<CommandResult>;
  /** Runs the command `deploy`, and fails with its output if it fails. */
  readonly deployOrThrow: (...args: readonly string[]) => Promise<CommandResult>;
  /** Writes the files of a version of the project, and commits them. */
  readonly commit: (version: Version) => void;
  /** Runs a task. With `isUnderLoad`, sends `minRequests` or more meanwhile, and fails if one of them is lost. Default 50. */
  readonly withRequests: (task: () => Promise<unknown>, minRequests?: number) => Promise<void>;
  /** Returns the name of the release that answers requests. */
  readonly currentRelease: () => string;
  /** Returns the names of the releases on the host, the oldest first. */
  readonly releases: () => readonly string[];
  /** Reads the state of the supervisor and its workers. */
  readonly readState: () => ServerState;
  /** Requests a path, and returns the status and the text. */
  readonly get: (path: string) => Promise<readonly [status: number, text: string]>;
}

/** State that the supervisor of the server has written. */
export interface ServerState {
  readonly pid: number;
  readonly program: string;
  readonly workers: readonly { readonly pid: number; readonly program: string }[];
}

/** Version of the project. */
export interface Version {
  /** Text of the page `/version`. */
  readonly text: string;
  /** Condition, in JavaScript, under which the page `/healthy` answers 200. Default `true`. */
  readonly isHealthy?: string;
  /** Number of migrations of the application: each creates a table. Default 1. */
  readonly migrations?: number;
  /** SQL of one more migration. */
  readonly migration?: string;
  /** Path of a file for which each command of the release waits on the host. It writes `<gate>-reached` before. */
  readonly gate?: string;
}

/** Options of `deployedProject`. */
export interface DeployedProjectOptions {
  /** True if npm installs the packages from its registry, here and on the host. Default false. */
  readonly usesNpm?: boolean;
  /**
   * True to send requests in `withRequests`, and to limit health checks by time. False to make nothing depend on the speed of the
   * machine: `agent-clock.mjs` stops the clock of health checks. Default true.
   */
  readonly isUnderLoad?: boolean;
}

/**
 * Creates a project, and starts an sshd to deploy it to.
 *
 * Without `usesNpm`, the packages are installed without a network: a program that copies those of this repository replaces npm.
 */
export async function deployedProject(
  framework: PackedFramework,
  { usesNpm = false, isUnderLoad = true }: DeployedProjectOptions = {},
): Promise<DeployedProject> {
  const path = join(framework.folder, `shop-${process.pid}`);
  const { tarball } = framework;
  const { root } = createProject({ path, database: "sqlite", ...(usesNpm ? { tarball } : {}) });
  run("git", ["init", "--quiet", "--initial-branch=main"], root);
  const host = mkdtempSync(join(tmpdir(), "limmat-host-"));
  const tools = join(host, "tools");
  mkdirSync(tools);
  const deployTarball = framework.others.get("limmat-deploy");
  if (usesNpm) run("npm", ["install", "--save-dev", `${deployTarball}`], root);
  else {
    install(root, tarball);
    extractPackage(root, "limmat-deploy", deployTarball);
    writeFileSync(join(root, "package-lock.json"), "{}\n");
    installOnHost(host, tools, tarball);
  }
  const clock = pathToFileURL(join(import.meta.dirname, "agent-clock.mjs")).href;
  const sshd = await startSshd({
    PATH: `${tools}:/usr/local/bin:/usr/bin:/bin`,
    ...(isUnderLoad ? {} : { NODE_OPTIONS: `--import=${clock}` }),
  });
  const folder = join(host, "shop");
  const guard = startServerGuard(folder);
  const port = await freePort();
  writeFileSync(join(root, "deploy.json"), JSON.stringify(settings(sshd, folder)));
  writeFileSync(join(host, "production.env"), `PORT=${port}\nALLOWED_HOSTS=127.0.0.1,shop.example\n`, { mode: 0o600 });
  writeFileSync(join(root, ".gitattributes"), "* -text\n");
  const git = (...args: readonly string[]): string =>
    run("git", ["-c", "user.name=Test", "-c", "user.email=test@localhost", ...args], root);

  const deploy: DeployedProject["deploy"] = async (...args) => {
    const child = spawn(process.execPath, [join(root, "node_modules/limmat/bin/limmat.mjs"), "deploy", ...args], {
      cwd: root,
      env: shellEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { code, stdout, stderr };
  };
  return {
    root,
    folder,
    port,
    deploy,
    deployOrThrow: async (...args) => {
      const result = await deploy(...args);
      if (result.code !== 0) throw new Error(`deploy ${args.join(" ")} failed:\n${result.stdout}\n${result.stderr}`);
      return result;
    },
    commit: (version) => {
      for (const [name, content] of Object.entries(filesOf(version, root))) writeFileSync(join(root, name), content);
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", version.text);
    },
    withRequests: async (task, minRequests = 50) => {
      if (isUnderLoad) await runUnderLoad(port, minRequests, task);
      else await task();
    },
    currentRelease: () => basename(readlinkSync(join(folder, "current"))),
    releases: () => readdirSync(join(folder, "releases")).toSorted(),
    readState: () => JSON.parse(readFileSync(join(folder, "run/server.json"), "utf8")) as ServerState,
    get: async (page) => {
      const response = await fetch(`http://127.0.0.1:${port}${page}`);
      return [response.status, await response.text()];
    },
    [Symbol.asyncDispose]: async () => {
      await stopServer(folder);
      guard.kill();
      await sshd[Symbol.asyncDispose]();
      rmSync(host, { recursive: true, force: true });
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const settings = ({ host, configFile }: SshServer, folder: string): object => ({
  host,
  folder,
  name: "shop",
  sshConfig: configFile,
  service: "process",
  allowRoot: process.getuid?.() === 0,
  workers: 2,
  health: "/healthy",
  healthTimeoutSeconds: 10,
  keepReleases: 3,
});

/** Writes programs of the host that replace npm: packages come from this repository. */
function installOnHost(host: string, tools: string, tarball: string): void {
  const packages = join(host, "packages");
  install(packages, tarball);
  const node = join(packages, "node_modules/.bin/node");
  rmSync(node, { force: true });
  symlinkSync(process.execPath, node);
  const npm = join(tools, "npm");
  writeFileSync(npm, `#!/bin/sh\n[ "$1" = ci ] && cp -a '${packages}/node_modules' node_modules\n`);
  chmodSync(npm, 0o755);
}

/** Returns the files that differ between versions. */
function filesOf(
  { text: version, isHealthy = "true", migrations = 1, migration, gate }: Version,
  root: string,
): Record<string, string> {
  const steps = Array.from(
    { length: migrations },
    (_, index) => `Migration.step("create notes ${index}", "create table notes_${index} (id integer primary key)")`,
  );
  if (migration !== undefined) steps.push(`Migration.step("change", ${JSON.stringify(migration)})`);
  const routes = readFileSync(join(root, "routes/routes.ts"), "utf8");
  const program = readFileSync(join(root, "run/run.ts"), "utf8");
  return {
    // On a busy machine no request is shed.
    "run/run.ts": program.replace("[serverTiming] }", "[serverTiming], limits: { maxEventLoopDelayMs: 0 } }"),
    "web/handler/version.ts": `import { existsSync, writeFileSync } from "node:fs";
import { Response } from "limmat/web";
const gate: string = ${JSON.stringify(gate ?? "")};
if (gate !== "" && import.meta.dirname.includes("/releases/")) {
  writeFileSync(gate + "-reached", "");
  while (!existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 20));
}
export const version = (): Response => Response.text(${JSON.stringify(version)});
export const healthy = (): Response => Response.text(${JSON.stringify(version)}, { status: ${isHealthy} ? 200 : 503 });
`,
    "routes/routes.ts": routes.includes("handler/version.ts")
      ? routes
      : routes
          .replace("\n\n", `\nimport { healthy, version } from "../web/handler/version.ts";\n\n`)
          .replace("choose([site,", `choose([Web.get("/version", version), Web.get("/healthy", healthy), site,`),
    "database/migration.ts": `import { Migration } from "limmat";
import { greetings } from "./migration/greetings.ts";
export const migrations = [greetings, Migration.make("notes", [${steps.join(", ")}])];
`,
  };
}

/**
 * Starts a process that ends the server of a folder when this process has ended. The server is started through ssh: it
 * belongs to no process group that the test runner could end.
 */
function startServerGuard(folder: string): ChildProcess {
  const program = `process.stdin.resume().on("close", () => {
    process.kill(JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).pid);
  });`;
  const guard = spawn(process.execPath, ["-e", program, join(folder, "run/server.json")], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  return guard;
}

/** Ends the server that was deployed to a folder, and waits for its end. */
async function stopServer(folder: string): Promise<void> {
  let pid: number;
  try {
    ({ pid } = JSON.parse(readFileSync(join(folder, "run/server.json"), "utf8")) as { readonly pid: number });
    process.kill(pid, "SIGTERM");
  } catch {
    return; // It does not run.
  }
  const isRunning = (): boolean => {
    try {
      // The command line of an ended process that is not collected yet is empty.
      return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
    } catch {
      return false;
    }
  };
  await waitFor(() => !isRunning(), { timeoutMs: 300_000 });
}
