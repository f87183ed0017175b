#!/usr/bin/env node
// Plain JavaScript for any Node version: an old Node gets advice instead of a syntax error.
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
const isOld = major < 24 || (major === 24 && minor < 15);

const [first, ...others] = process.argv.slice(2);
// These commands need no application that loads.
const isHelpOfProgram = first === "help" && ["dev", "new"].includes(others[0]);
const [name, ...args] = isHelpOfProgram ? [others[0], "--help"] : [first, ...others];
const root = findProjectRoot(process.cwd());

if (name === "--version") {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  console.log(`limmat ${version ?? "(not packed)"}, Node ${process.versions.node}`);
} else if (name === "new") {
  const { newProject } = await import("../dist/generators/new/new-project.js");
  process.exitCode = await newProject({ program: "limmat new", argv: args });
} else if (name === "docs" && !isOld) {
  // Without the application: the pages explain errors that keep it from loading.
  const { App } = await import("limmat");
  await App.create({ services: [] }).run();
} else if (root === undefined && name === "docs") {
  console.error(`limmat docs needs Node 24.15 or newer, and this is ${process.versions.node}.`);
  process.exitCode = 1;
} else if (root === undefined) {
  console.error("This is not a limmat project. Create one with: npx limmat new my-app");
  process.exitCode = 2;
} else if (isOld) {
  console.error(
    `limmat needs Node 24.15 or newer, and this is ${process.versions.node}. ` +
      `The project installs one: run "npm install" once, and then "npm run app" instead.`,
  );
  process.exitCode = 1;
} else if (name === "dev" && args.every((arg) => ["--migrate", "--no-types"].includes(arg))) {
  const { develop } = await import("../dist/development/index.js");
  process.exitCode = await develop(root, {
    migratesAtStart: args.includes("--migrate"),
    checksTypes: !args.includes("--no-types"),
  });
} else if (["dev", "upgrade", "gen.undo"].includes(name)) {
  // The application may not load: its code is in development, not yet adapted to the installed version, or just generated.
  const { App } = await import("limmat");
  await App.create({ root, services: [] }).run();
} else {
  // The compile cache halves the start time of a command (docs/decisions/006).
  module.enableCompileCache(join(root, "node_modules/.cache/limmat"));
  const { app } = await load(join(root, "run/run.ts"));
  // An exit code is set if run.ts has already run the application on import.
  if (process.exitCode === undefined) await app?.run();
}

/** Imports the application. Reports an error with the lines of the application that it is about. */
async function load(file) {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const { describeFailure, failureText } = await importDescription();
    console.error(failureText(await describeFailure(error, root), root));
    process.exitCode = 1;
    return {};
  }
}

/** Imports the module that describes errors: of the package, or in a clone without a build, its source. */
function importDescription() {
  return import("../dist/development/describe-failure.js").catch(
    () => import("../src/development/describe-failure.ts"),
  );
}

function findProjectRoot(start) {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "run/run.ts"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
