// Installs the packages of package-lock.json unless they are up to date, and then runs the program in the arguments with the
// installed Node. The calling shell cannot run it: a shell caches the path of the Node that it found first.
// With --start it installs only what an example needs: the run-time dependencies, and Node if the one that runs is too old.
// Plain JavaScript for Node 18 and newer, because it runs before the Node of the repository is installed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lockFile = `${root}package-lock.json`;
const hasNode = existsSync(`${root}node_modules/.bin/node`);
const isStart = process.argv[2] === "--start";
const program = process.argv.slice(isStart ? 3 : 2);

// Copies of package-lock.json, written after a complete installation and after one for an example.
const complete = { marker: `${root}node_modules/.limmat-lock.json`, arguments: [] };
const forExample = {
  marker: `${root}node_modules/.limmat-start-lock.json`,
  arguments: ["--omit=dev", "--include-workspace-root", "--workspace=examples/todo"],
};

/** Returns true if this Node can run the framework: engines in package.json. */
function isNodeSupported() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

/** Returns true if an installation is up to date. */
function isInstalled({ marker }) {
  return existsSync(marker) && readFileSync(marker).equals(readFileSync(lockFile));
}

/** Runs npm ci and shows the elapsed time. */
async function install({ marker, arguments: selection }) {
  const startMs = Date.now();
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const npm = spawn("npm", ["ci", ...options, ...selection], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  const draw = () => {
    const seconds = Math.round((Date.now() - startMs) / 1000);
    process.stdout.write(
      `\r${isStart ? "Installing Node and the packages" : "Installing all packages"} … ${seconds} s`,
    );
  };
  if (process.stdout.isTTY) draw();
  else console.log("Installing the packages of package-lock.json …");
  const timer = process.stdout.isTTY ? setInterval(draw, 1000) : undefined;
  const [status] = await once(npm, "exit");
  clearInterval(timer);
  if (process.stdout.isTTY) console.log();
  if (status !== 0) {
    console.error("npm ci failed. Check the network connection and run the same command again.");
    process.exit(1);
  }
  copyFileSync(lockFile, marker);
}

if (isStart) {
  const isReady = isInstalled(complete) || (isInstalled(forExample) && (hasNode || isNodeSupported()));
  if (!isReady) {
    const node = isNodeSupported() ? [] : ["--workspace=tools/node"];
    await install({ ...forExample, arguments: [...forExample.arguments, ...node] });
  }
} else if (!isInstalled(complete) || !hasNode) await install(complete);

if (program.length > 0) {
  // A listener for SIGINT keeps this process alive on Ctrl-C until the program has handled the signal.
  process.on("SIGINT", () => {});
  const { status } = spawnSync("node", program, { stdio: "inherit", shell: process.platform === "win32" });
  process.exitCode = status ?? 1;
}
