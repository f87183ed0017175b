#!/usr/bin/env node
// Plain JavaScript for any Node: an old one is told what to do instead of failing somewhere.
import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
const isOld = major < 24 || (major === 24 && minor < 15);

const [name, ...args] = process.argv.slice(2);
const root = projectRoot(process.cwd());

if (name === "new") {
  const { newProject } = await import("../dist/cli/new/new-project.js");
  process.exitCode = await newProject({ program: "limmat new", argv: args });
} else if (root === undefined) {
  console.error("This is no limmat project. Make one with: npx limmat new my-app");
  process.exitCode = 2;
} else if (isOld) {
  console.error(
    `limmat needs Node 24.15 or newer, and this is ${process.versions.node}: ` +
      `the project brings one, so run "npm install" once and then "npm run app" instead.`,
  );
  process.exitCode = 1;
} else if (name === "dev" && args.length > 0) {
  console.error("Usage: npx limmat dev\n\nRuns the application on PORT, and restarts it on every change");
  process.exitCode = args.every((arg) => ["help", "--help", "-h"].includes(arg)) ? 0 : 2;
} else if (name === "dev") {
  const { develop } = await import("../dist/cli/dev/develop.js");
  process.exitCode = await develop(root);
} else {
  // What was compiled once is not compiled again: a command starts in half the time (docs/decisions/006).
  module.enableCompileCache(join(root, "node_modules/.cache/limmat"));
  const { app } = await load(join(root, "run/run.ts"));
  // An application that runs as soon as it is imported has done so, and set the exit code.
  if (process.exitCode === undefined) await app?.run();
}

/** Imports the application. What says by itself why it cannot be is told without the stack of whoever imported it. */
async function load(file) {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    if (error?.code !== "ERR_MODULE_NOT_FOUND" && error?.name !== "LimmatError") throw error;
    console.error(`Error [${error.code}]: ${error.message.replaceAll(root + sep, "")}${ending(error)}`);
    process.exitCode = 1;
    return {};
  }
}

/** What to do about a path whose file is there under its whole name. */
function ending({ url }) {
  const isThere = url !== undefined && existsSync(`${fileURLToPath(url).replace(/\.js$/, "")}.ts`);
  return isThere ? '\nNode runs the sources as they are: write the path with its ending ".ts".' : "";
}

function projectRoot(start) {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "run/run.ts"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
