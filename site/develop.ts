// Serves the site on this machine while one works on it: `PORT=4400 node develop.ts`. A change of a page, of the style sheet
// or of the script shows at once.
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import DevServer from "@11ty/eleventy-dev-server";
import { createEleventy } from "./eleventy.ts";
import { packageVersion } from "./links.ts";
import { generatedFolder, root } from "./pages.ts";
import { generateReference, type Reference } from "./reference/generate-reference.ts";

const port = Number(process.env["PORT"] ?? 4400);
process.chdir(import.meta.dirname);

// The server has no option for its address, and would listen on all of them.
DevServer.prototype._serverListen = function listenOnLoopback(listenPort) {
  this.server.listen({ port: listenPort, host: "127.0.0.1" });
};

const eleventy = await createEleventy({
  output: "tmp/develop",
  version: packageVersion.split(".").slice(0, 2).join("."),
  hasVersions: false,
  base: "/",
  reference: await readReference(),
});
await eleventy.init();
await eleventy.watch();
await eleventy.serve(port);

/** Returns the reference of the last run, or generates it if a source has changed since. */
async function readReference(): Promise<Reference> {
  // In the folder of its pages, which a new build empties: one that was interrupted leaves neither.
  const stored = join(generatedFolder, "reference.json");
  const modifiedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["src", "site/reference"].flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const newestMs = Math.max(...sources.map((path) => modifiedMs(join(root, path))));
  if (modifiedMs(stored) > newestMs) return JSON.parse(readFileSync(stored, "utf8")) as Reference;
  console.log("Reading the declarations …");
  const reference = await generateReference();
  writeFileSync(stored, JSON.stringify(reference));
  return reference;
}
