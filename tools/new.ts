// Creates a project that depends on this clone, packed as for publication: npm run new -- ../my-app
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newProject } from "../src/generators/new/new-project.ts";
import { packPackages } from "./package.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-pack-"));

function pack(): string {
  console.log("Packing limmat …");
  return packPackages({ folder }).limmat;
}

// A listener for SIGINT keeps this process alive on Ctrl-C, so that it can delete the folder after its child has ended.
process.on("SIGINT", () => {});
try {
  // npm runs scripts in the folder of the package. Paths in the arguments are relative to the folder of the npm call.
  process.chdir(process.env["INIT_CWD"] ?? process.cwd());
  const argv = process.argv.slice(2);
  process.exitCode = await newProject({ program: "npm run new --", argv, pack });
} catch (error) {
  if ((error as { readonly signal?: unknown }).signal !== "SIGINT") throw error;
  process.exitCode = 130;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
