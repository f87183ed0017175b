// Runs the commands of the README of the shop in a new project, and counts the lines of the shop that they wrote.
import assert from "node:assert/strict";
import { globSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { App } from "limmat";
import { runCommand } from "limmat/testing";
import { createProject } from "../src/generators/new/create-project.ts";
import { root } from "./sources.ts";
import { type Files, GeneratedLines } from "./tutorial/share.ts";

const shop = join(root, "examples/shop");

function sourcesOf(folder: string): Files {
  const paths = globSync("**/*.ts", { cwd: folder, exclude: (path) => path.includes("node_modules") });
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

test("the commands of the shop write most of its lines", async (context) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "limmat-shop-"));
  const project = createProject({ path: join(folder.path, "shop"), database: "sqlite", isBare: true });
  const app = App.create({ root: project.root, services: [] });
  const readme = readFileSync(join(shop, "README.md"), "utf8");
  const [, commands = ""] = /These commands wrote it:\s+```sh\n([^]*?)```/.exec(readme) ?? [];
  for (const command of commands.replaceAll("\\\n", "").matchAll(/^npm run app (.*)$/gm)) {
    const words = [...(command[1] ?? "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
    const argv = words.filter((word) => word !== "--");
    assert.equal((await runCommand(app, ...argv)).code, 0, argv.join(" "));
  }
  const generated = new GeneratedLines();
  generated.add({}, sourcesOf(project.root));
  const share = generated.shareOf(sourcesOf(shop));
  context.diagnostic(`${(share * 100).toFixed(1)} % of the shop is generated`);
  assert.ok(share >= 0.76, `${share}`);
});
