// Installs what package-lock.json names, if that has not been done since it last changed, and then runs the program that
// the arguments name: the shell that called this goes on finding the Node that it found before.
// Plain JavaScript for any Node from 18 on: it runs before the repository's own Node is there.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lock = `${root}package-lock.json`;
const installed = `${root}node_modules/.limmat-lock.json`;
const binary = `${root}node_modules/.bin/node`;

const isReady = existsSync(installed) && existsSync(binary) && readFileSync(installed).equals(readFileSync(lock));

if (!isReady) {
  console.log("Installing the packages that package-lock.json names …");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed. Is there a network, or a filled npm cache? Then try the same command again.");
    process.exit(1);
  }
  copyFileSync(lock, installed);
}

const program = process.argv.slice(2);
if (program.length > 0) {
  // With a listener, Ctrl-C is for the program, which ends as it sees fit.
  process.on("SIGINT", () => {});
  const { status } = spawnSync("node", program, { stdio: "inherit", shell: process.platform === "win32" });
  process.exitCode = status ?? 1;
}
