import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { errors } from "./errors.ts";
import type { Progress } from "./progress.ts";
import { environmentWithoutNpm } from "./source.ts";
import { lastLines } from "./target.ts";

/** Names of sources in `resources`, as the command `assets` of limmat chooses them. */
const sourcePattern = /^(?!\.)(?!.*\.(?:d|test)\.[jt]sx?$).*\.(?:[jt]sx?|css)$/;

/** Lines of the command `assets`: a file, relative to the project, and its size. */
const builtFilePattern = /^(.+)[\\/][^\\/]+ {2}[\d.]+ kB$/gm;

/**
 * Bundles the browser code of a project, if it has any. Returns the folder of the files, relative to the project, which git
 * ignores and a release needs.
 *
 * @throws E_DEPLOY_STEP
 */
export async function packAssets(root: string, progress: Progress, signal: AbortSignal): Promise<readonly string[]> {
  const sources = join(root, "resources");
  if (!existsSync(sources) || !readdirSync(sources).some((name) => sourcePattern.test(name))) return [];
  const label = "bundle the browser code";
  return progress.step(label, async (setDetail) => {
    const args = [...process.execArgv, "run/run.ts", "assets"];
    const options = { cwd: root, env: environmentWithoutNpm(), signal };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options).catch((cause: unknown) => {
      signal.throwIfAborted();
      const { stderr: output = "", message } = cause as Error & { readonly stderr?: string };
      throw errors.E_DEPLOY_STEP(label, lastLines(output || message)).causedBy(cause);
    });
    if (stderr !== "") progress.note(stderr.trimEnd());
    const folders = [...stdout.matchAll(builtFilePattern)].map(([, folder = ""]) => folder);
    setDetail(`${folders.length} files`);
    return folders.slice(0, 1);
  });
}
