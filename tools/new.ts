// Makes a project that depends on this clone, packed as it would be published: npm run new -- ../my-app
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { newProject } from "../src/cli/new/new-project.ts";

const root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "limmat-pack-"));

// With a listener, Ctrl-C ends what is being run and not this process, which cleans up after itself.
process.on("SIGINT", () => {});
try {
  execFileSync(process.execPath, [join(root, "tools/build.ts")], { cwd: root, stdio: "inherit" });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  execFileSync("npm", pack, { cwd: root, stdio: "ignore", shell: process.platform === "win32" });
  const [name] = readdirSync(folder);
  if (name === undefined) throw new Error("npm pack wrote no file");
  // npm runs scripts in the folder of their package; what is named is meant from where npm was called.
  process.chdir(process.env["INIT_CWD"] ?? process.cwd());
  const argv = process.argv.slice(2);
  process.exitCode = await newProject({ program: "npm run new --", argv, tarball: join(folder, name) });
} catch (error) {
  if ((error as { readonly signal?: unknown }).signal !== "SIGINT") throw error;
  process.exitCode = 130;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
