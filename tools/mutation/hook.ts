// Loaded before the tests: puts a mutant in the place of a file.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const { MUTANT_FILE = "", MUTANT_CODE = "" } = process.env;
const target = pathToFileURL(MUTANT_FILE).href;

registerHooks({
  load: (url, context, next) =>
    url === target
      ? { format: "module", source: readFileSync(MUTANT_CODE, "utf8"), shortCircuit: true }
      : next(url, context),
});
