#!/usr/bin/env node
// Runs the command "deploy" of the limmat of the project: npx limmat-deploy user@example.com
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const program = findProgram(join(process.cwd(), "package.json"));
if (program === undefined) {
  console.error("This is not a limmat project. Run limmat-deploy in the folder of one, after npm install.");
  process.exitCode = 2;
} else {
  process.argv.splice(1, 1, program, "deploy");
  await import(pathToFileURL(program).href);
}

function findProgram(importer) {
  try {
    return join(dirname(createRequire(importer).resolve("limmat/package.json")), "bin/limmat.mjs");
  } catch {
    return undefined;
  }
}
