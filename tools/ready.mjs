// Installs the packages of package-lock.json unless they are up to date, and then runs the program in the arguments with the
// installed Node. The calling shell cannot run it: a shell caches the path of the Node that it found first.
// With --start it installs only what an example needs, and not the tools for tests, which are ten times as large.
// Plain JavaScript for Node 18 and newer, because it runs before the Node of the repository is installed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lockFile = `${root}package-lock.json`;
const modules = `${root}node_modules`;
const isStart = process.argv[2] === "--start";
const program = process.argv.slice(isStart ? 3 : 2);

// Copies of package-lock.json, written after a complete installation and after one for an example.
const completeMarker = `${modules}/.limmat-lock.json`;
const exampleMarker = `${modules}/.limmat-start-lock.json`;

/** Returns true if the installation of a marker is up to date. */
function isInstalled(marker) {
  return existsSync(marker) && readFileSync(marker).equals(readFileSync(lockFile));
}

/** Returns true if this Node can run the framework: engines in package.json. */
function isNodeSupported() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

/** Installs the packages of a lock file in its folder, and shows the elapsed time. */
async function install(folder, text) {
  const startMs = Date.now();
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const npm = spawn("npm", ["ci", ...options], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  const { isTTY } = process.stdout;
  const draw = () => process.stdout.write(`\r${text} … ${Math.round((Date.now() - startMs) / 1000)} s`);
  if (isTTY) draw();
  else console.log(`${text} …`);
  const timer = isTTY ? setInterval(draw, 1000) : undefined;
  const [status] = await once(npm, "exit");
  clearInterval(timer);
  if (isTTY) console.log();
  if (status !== 0) {
    console.error("npm ci failed. Check the network connection and run the same command again.");
    process.exit(1);
  }
}

/** Installs the packages that an example imports, and Node if this one is too old, with the versions of package-lock.json. */
async function installForExample() {
  const { packages, ...lock } = JSON.parse(readFileSync(lockFile, "utf8"));
  const { dependencies } = packages[""];
  const optionalDependencies = isNodeSupported() ? {} : packages["tools/node"].optionalDependencies;
  const names = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => `node_modules/${name}`);
  const project = { name: "limmat-example", version: "0.0.0", dependencies, optionalDependencies };
  const entries = names.map((name) => [name, packages[name]]);
  mkdirSync(`${root}tmp`, { recursive: true });
  const folder = mkdtempSync(`${root}tmp/start-`);
  try {
    writeFileSync(`${folder}/package.json`, JSON.stringify(project));
    const exampleLock = { ...lock, ...project, packages: { "": project, ...Object.fromEntries(entries) } };
    writeFileSync(`${folder}/package-lock.json`, JSON.stringify(exampleLock));
    await install(folder, "Installing Node and the packages of the example");
    rmSync(modules, { recursive: true, force: true });
    renameSync(`${folder}/node_modules`, modules);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // Examples import the framework by its name.
  symlinkSync("..", `${modules}/limmat`, "junction");
  copyFileSync(lockFile, exampleMarker);
}

const hasNode = existsSync(`${modules}/.bin/node`);
const isComplete = isInstalled(completeMarker) && hasNode;
if (isStart) {
  const isReady = isComplete || (isInstalled(exampleMarker) && (hasNode || isNodeSupported()));
  if (!isReady) await installForExample();
} else if (!isComplete) {
  await install(root, "Installing all packages");
  copyFileSync(lockFile, completeMarker);
}

if (program.length > 0) {
  // A listener for SIGINT keeps this process alive on Ctrl-C until the program has handled the signal.
  process.on("SIGINT", () => {});
  const { status } = spawnSync("node", program, { stdio: "inherit", shell: process.platform === "win32" });
  process.exitCode = status ?? 1;
}
