// Both packages as a user gets them: installed from a registry, on each runtime. From an empty folder to a served page.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { bun } from "./bun.ts";
import { packFramework, shellEnvironment } from "./new-project/package.ts";
import { type Registry, startRegistry } from "./registry/registry.ts";

const execute = promisify(execFile);
const framework = packFramework();
const home = mkdtempSync(join(tmpdir(), "limmat-home-"));
let registry: Registry;

before(async () => {
  registry = await startRegistry([framework.tarball, framework.createLimmat]);
  // In the home folder, because `create-limmat` does not pass on the variables of the npm that started it.
  const settings = [`registry=${registry.url}/`, `cache=${join(home, "cache")}`, "update-notifier=false"];
  writeFileSync(join(home, ".npmrc"), settings.join("\n"));
});

after(async () => {
  await registry[Symbol.asyncDispose]();
  framework[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

/** Runtime of a test. */
interface Runtime {
  readonly name: string;
  /** Program that runs the server. */
  readonly program: string | undefined;
}

// The test runner downloads Node 24 and Node 18, and sets their variables.
const node24: Runtime = { name: "Node 24", program: process.env["NODE24"] };
const whenNode24Exists = { skip: node24.program === undefined && "NODE24 is not set: npm run test:long sets it" };

const node18 = process.env["NODE18"];

/** Returns the variables of a shell with its own home folder, in which `node` is the program of the runtime. */
function environment(runtime: Runtime): NodeJS.ProcessEnv {
  const bin = join(home, runtime.name.replaceAll(" ", "-"));
  mkdirSync(bin, { recursive: true });
  const node = runtime.name === "Bun" ? process.execPath : (runtime.program ?? "");
  if (!existsSync(join(bin, "node"))) symlinkSync(node, join(bin, "node"));
  // Without the folders of this repository, whose programs a user does not have.
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const variables = { PATH: [bin, ...path].join(delimiter), HOME: home, BUN_INSTALL_CACHE_DIR: join(home, "bun") };
  return shellEnvironment({ ...variables, npm_config_yes: "true", BUN_CONFIG_REGISTRY: registry.url });
}

/** Folder of a runtime, which is empty. */
function emptyFolder(name: string): string {
  const folder = join(home, `work-${name}`);
  mkdirSync(folder);
  return folder;
}

/** Runs a program and returns its output. Does not block: the registry runs in this process. */
async function runOn(runtime: Runtime, cwd: string, program: string, ...args: readonly string[]): Promise<string> {
  try {
    const options = { cwd, env: environment(runtime), timeout: 600_000, maxBuffer: 100 * 1024 * 1024 };
    return (await execute(program, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Starts the server of a project and requests two pages. */
async function requestPages(runtime: Runtime, project: string): Promise<void> {
  const program = runtime.program ?? "";
  const env = { ...environment(runtime), PORT: "0", LOG_LEVEL: "info" };
  const child = spawn(program, ["run/run.ts", "server"], { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  try {
    const url = await listeningUrl(child);
    const page = await fetch(url);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>Welcome · my-app/);
    const list = await fetch(`${url}/notes`);
    assert.equal(list.status, 200);
    assert.match(await list.text(), /New note/);
  } finally {
    child.kill();
    await closed;
  }
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The server has no output");
  for await (const line of createInterface(child.stdout)) {
    const url = /Listening on (http:\/\/[^\s"]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return url;
  }
  throw new Error("The server exited before it listened");
}

const generate = ["gen.html", "sqlite", "note", "title:string", "done:bool", "--wire"] as const;

test("npm create limmat on Node 26: install, generate, check, test, start", async () => {
  const runtime: Runtime = { name: "Node 26", program: process.execPath };
  const folder = emptyFolder("node-26");
  const output = await runOn(runtime, folder, "npm", "create", "limmat", "my-app", "--", "--yes");
  assert.match(output, /is ready/);
  assert.ok(registry.requested.includes("create-limmat") && registry.requested.includes("limmat"));
  const project = join(folder, "my-app");
  const installed = join(project, "node_modules/limmat/package.json");
  assert.equal((JSON.parse(readFileSync(installed, "utf8")) as { version: string }).version, framework.version);
  // The project installs its own Node.
  assert.equal((await runOn(runtime, project, "npm", "exec", "--", "node", "--version")).trim(), process.version);
  await runOn(runtime, project, "npm", "run", "--silent", "app", "--", ...generate);
  await runOn(runtime, project, "npm", "run", "--silent", "app", "migrate");
  await runOn(runtime, project, "npm", "run", "check");
  assert.match(await runOn(runtime, project, "npm", "test"), /fail 0\n/);
  await requestPages({ ...runtime, program: join(project, "node_modules/.bin/node") }, project);
});

test("a project without its own Node on Node 24: install, generate, test, start", whenNode24Exists, async () => {
  const folder = emptyFolder("node-24");
  await runOn(node24, folder, "npm", "create", "limmat", "my-app", "--", "--yes", "--no-install");
  const project = join(folder, "my-app");
  useOwnNode(project);
  await runOn(node24, project, "npm", "install");
  assert.match(await runOn(node24, project, "npm", "exec", "--", "node", "--version"), /^v24\./);
  await runOn(node24, project, "npm", "run", "--silent", "app", "--", ...generate);
  await runOn(node24, project, "npm", "run", "--silent", "app", "migrate");
  assert.match(await runOn(node24, project, "npm", "test"), /fail 0\n/);
  await requestPages(node24, project);
});

test(
  "create-limmat on Node 18: the project installs the Node that it needs",
  { skip: node18 === undefined && "NODE18 is not set: npm run test:long sets it" },
  async () => {
    const runtime: Runtime = { name: "Node 26", program: process.execPath };
    const folder = emptyFolder("node-18");
    await runOn(runtime, folder, "npm", "install", "create-limmat");
    // Not by npm, whose current version does not run on Node 18.
    const program = join(folder, "node_modules/create-limmat/create-limmat.mjs");
    const output = await runOn(runtime, folder, node18 ?? "", program, "my-app", "--yes", "--no-install");
    assert.match(output, /my-app is ready/);
    assert.ok(existsSync(join(folder, "my-app/.limmat.json")));
  },
);

/** Removes the Node of a project, as docs/guide/new-project.md describes. */
function useOwnNode(project: string): void {
  const path = join(project, "package.json");
  const { optionalDependencies: _, ...manifest } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

test(
  "bun create limmat: install, generate, start on Bun",
  { skip: bun === undefined && "there is no Bun here" },
  async () => {
    const runtime: Runtime = { name: "Bun", program: bun };
    const folder = emptyFolder("bun");
    const program = bun ?? "";
    await runOn(runtime, folder, program, "create", "limmat", "my-app", "--yes", "--no-install");
    const project = join(folder, "my-app");
    await runOn(runtime, project, program, "install");
    await runOn(runtime, project, program, "run/run.ts", ...generate);
    await runOn(runtime, project, program, "run/run.ts", "migrate");
    await requestPages(runtime, project);
  },
);
