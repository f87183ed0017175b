// Builds a package of the folder `packages` into a folder: one JavaScript file for each program and entry point, and declarations.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";

const [source = "", target = ""] = process.argv.slice(2);

await build({
  platform: "node",
  // Packages, limmat among them, are resolved where the package is installed.
  external: /^[^./]/,
  logLevel: "warn",
  experimental: { attachDebugInfo: "none" },
  input: { index: join(source, "index.ts") },
  output: { dir: target, entryFileNames: "[name].js", comments: { jsdoc: false } },
});

for (const path of globSync("**/*.ts", { cwd: source, exclude: ["**/*.test.ts"] })) {
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(join(source, path), "utf8"));
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const file = join(target, path.replace(/\.ts$/, ".d.ts"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code.replaceAll(/(from "\.[^"]+)\.ts"/g, '$1.js"'));
}
