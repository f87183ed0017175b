// Installs the packages of package-lock.json unless they are up to date, and then runs the program in the arguments with the
// installed Node. The calling shell cannot run it: a shell caches the path of the Node that it found first.
// Plain JavaScript for Node 18 and newer, because it runs before the Node of the repository is installed.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lockFile = `${root}package-lock.json`;
const installedLockFile = `${root}node_modules/.limmat-lock.json`;
const nodeBinary = `${root}node_modules/.bin/node`;

const isReady =
  existsSync(installedLockFile) &&
  existsSync(nodeBinary) &&
  readFileSync(installedLockFile).equals(readFileSync(lockFile));

if (!isReady) {
  console.log("Installing the packages of package-lock.json …");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed. Check the network connection and run the same command again.");
    process.exit(1);
  }
  copyFileSync(lockFile, installedLockFile);
}

const program = process.argv.slice(2);
if (program.length > 0) {
  // A listener for SIGINT keeps this process alive on Ctrl-C until the program has handled the signal.
  process.on("SIGINT", () => {});
  const { status } = spawnSync("node", program, { stdio: "inherit", shell: process.platform === "win32" });
  process.exitCode = status ?? 1;
}
