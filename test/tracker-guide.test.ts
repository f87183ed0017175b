// Follows docs/guide/tracker.md in a new project: runs its commands, applies its edits and copies the files that it lists.
import assert from "node:assert/strict";
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { applyEdits } from "./document-examples.ts";
import { testProject, type TestProject } from "./generators/project.ts";
import { run } from "./new-project/package.ts";
import { root } from "./sources.ts";

const example = join(root, "examples/tracker");
const guide = readFileSync(join(root, "docs/guide/tracker.md"), "utf8");

/** Links the installed packages and writes the files that `create-limmat` adds to the template. */
function install(project: TestProject): void {
  const packages = join(project.root, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(join(root, "node_modules")).filter((entry) => !entry.startsWith("."))) {
    symlinkSync(join(root, "node_modules", name), join(packages, name));
  }
  const node = "node --conditions=@limmat/source";
  const scripts = { app: `${node} node_modules/limmat/bin/limmat.mjs`, test: `${node} --test "test/**/*.test.ts"` };
  project.write("package.json", JSON.stringify({ type: "module", scripts, dependencies: {} }));
  for (const [path, databaseUrl] of Object.entries({
    ".env": "DATABASE_URL=tracker.sqlite",
    ".env.test": ":memory:",
  })) {
    const stub = readFileSync(join(root, "stubs/new", `${path.slice(1)}.stub`), "utf8");
    project.write(path, stub.replace("{{databaseUrl}}", databaseUrl).replace("{{secret}}", "0".repeat(40)));
  }
}

/** Runs the commands of a block, except `npm install`: the packages are linked. */
function runCommands(block: string, project: TestProject): string {
  const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const variables = { PATH: path, NODE_COMPILE_CACHE: join(project.root, "tmp/compiled") };
  const lines = block.replaceAll("\\\n", "").trim().split("\n");
  return lines
    .filter((line) => line !== "npm install")
    .map((line) => run("sh", ["-c", line], project.root, variables))
    .join("");
}

/** Returns the length of the longest common subsequence. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  let lengths = Array.from({ length: other.length + 1 }, () => 0);
  for (const line of one) {
    const next = [0];
    other.forEach((candidate, index) => {
      const longest =
        line === candidate ? (lengths[index] ?? 0) + 1 : Math.max(next[index] ?? 0, lengths[index + 1] ?? 0);
      next.push(longest);
    });
    lengths = next;
  }
  return lengths.at(-1) ?? 0;
}

/** Returns the part of the example's lines of TypeScript, without empty ones, that are as they were generated. */
function generatedShare(generated: Readonly<Record<string, string>>): number {
  const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line.trim() !== "");
  let [total, unchanged] = [0, 0];
  for (const path of globSync("**/*.ts", { cwd: example, exclude: ["node_modules"] })) {
    const lines = linesOf(readFileSync(join(example, path), "utf8"));
    total += lines.length;
    unchanged += commonLength(lines, linesOf(generated[path.replaceAll("\\", "/")] ?? ""));
  }
  assert.ok(total > 4000, `${total} lines`);
  return unchanged / total;
}

test("the tracker's guide leads to green tests, and generators write at least 80 % of the example", (context) => {
  using project = testProject();
  install(project);
  const steps = guide.matchAll(
    /^```(?<kind>sh|diff)\n(?<block>[^]*?)^```$|^- \[(?<copied>[^\]]+)\]\(\.\.\/\.\.\/examples\/tracker\//gm,
  );
  let generated: Readonly<Record<string, string>> | undefined;
  let output = "";
  for (const { groups: { kind, block = "", copied } = {} } of steps) {
    if (kind === "sh") output = runCommands(block, project);
    generated ??= sourcesOf(project);
    if (kind === "diff") {
      const { path, text } = applyEdits(block, (name) => project.read(name));
      project.write(path, text);
    }
    if (copied !== undefined) project.write(copied, readFileSync(join(example, copied), "utf8"));
  }
  assert.match(output, /fail 0\n/);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  run(process.execPath, [tsc, "--noEmit", "--customConditions", "@limmat/source"], project.root);

  const share = generatedShare(generated ?? {});
  context.diagnostic(`${(share * 100).toFixed(1)} % of the example is generated`);
  assert.ok(share >= 0.8, `${share}`);
});

/** Returns the TypeScript files of a project. */
function sourcesOf(project: TestProject): Readonly<Record<string, string>> {
  const folders = "{app,database,routes,run,service,test,web}/**/*.ts";
  return Object.fromEntries(globSync(folders, { cwd: project.root }).map((path) => [path, project.read(path)]));
}
