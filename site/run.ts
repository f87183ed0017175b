// Installs the packages of the site unless they are up to date, and runs a program of this folder: `node site/run.ts build.ts`.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const lockFile = join(folder, "package-lock.json");
const installedLockFile = join(folder, "node_modules/.limmat-lock.json");
const isInstalled = existsSync(installedLockFile) && readFileSync(installedLockFile).equals(readFileSync(lockFile));

if (!isInstalled) {
  console.log("Installing the packages of site/package-lock.json …");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed. Check the network connection and run the same command again.");
    process.exit(1);
  }
  copyFileSync(lockFile, installedLockFile);
}

const [program = "build.ts", ...args] = process.argv.slice(2);
// With a listener, Ctrl-C ends the program, and this process after it.
process.on("SIGINT", () => {});
const { status } = spawnSync(process.execPath, [join(folder, program), ...args], { stdio: "inherit" });
process.exitCode = status ?? 1;
