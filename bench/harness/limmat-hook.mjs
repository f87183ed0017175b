// Imports limmat from the checkout in BENCH_LIMMAT. A package may import itself by its name, with its own exports.
import * as module from "node:module";
import { pathToFileURL } from "node:url";

const folder = process.env["BENCH_LIMMAT"];
const name = /^limmat(?:\/|$)/;

if ("Bun" in globalThis) {
  globalThis.Bun.plugin({
    name: "limmat",
    // The applications on Bun import only this module. Bun does not ask plugins to resolve packages.
    setup: (build) =>
      build.module("limmat", async () => ({
        exports: await import(globalThis.Bun.resolveSync("limmat", folder)),
        loader: "object",
      })),
  });
} else {
  const parentURL = pathToFileURL(`${folder}/package.json`).href;
  module.registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, name.test(specifier) ? { ...context, parentURL } : context),
  });
}
