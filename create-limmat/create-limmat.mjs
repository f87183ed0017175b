#!/usr/bin/env node
// Plain JavaScript for Node 18 and newer: the new project installs the required Node.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const manifest = createRequire(import.meta.url).resolve("limmat/package.json");
const { newProject } = await import(pathToFileURL(join(manifest, "../dist/generators/new/new-project.js")).href);
process.exitCode = await newProject({ program: "npm create limmat", argv: process.argv.slice(2) });
