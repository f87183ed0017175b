// Serves the site while one works on it: `node develop.ts [port]`. A change of a page, of the style sheet or of the script shows at once.
import { createEleventy } from "./eleventy.ts";
import { packageVersion } from "./links.ts";
import { generateReference } from "./reference/generate-reference.ts";

const port = Number(process.argv[2] ?? 4400);
process.chdir(import.meta.dirname);
console.log("Reading the declarations …");
const eleventy = await createEleventy({
  output: "tmp/develop",
  version: packageVersion.split(".").slice(0, 2).join("."),
  hasVersions: false,
  base: "/",
  reference: await generateReference(),
});
await eleventy.init();
await eleventy.watch();
await eleventy.serve(port);
