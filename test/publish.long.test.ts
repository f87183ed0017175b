// The dist-tags on a registry after the publishing step of the release workflow.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { otherPackages } from "../tools/package.ts";
import { npmDistTag } from "../tools/release/version-line.ts";
import { shellEnvironment } from "./new-project/package.ts";
import { startRegistry } from "./registry/registry.ts";
import { root } from "./sources.ts";

const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "limmat-publish-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the script of a step of the release workflow. */
function workflowScript(step: string): string {
  const workflow = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const [, indent = "", rest = ""] =
    new RegExp(`^( +)- name: ${step}\\n([^]*?)(?=^ +- |(?![^]))`, "m").exec(workflow) ?? [];
  const [, script = ""] = rest.split(`${indent}  run: |\n`);
  assert.notEqual(script, "", `release.yml has no step "${step}" with a script`);
  return script.replaceAll(new RegExp(`^${indent}    `, "gm"), "");
}

function packPackage(name: string, version: string): void {
  const source = join(folder, "source", name);
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, "package.json"), JSON.stringify({ name, version }));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: source, stdio: "ignore" });
}

const names = ["limmat", "create-limmat", ...otherPackages];
const hasBash = spawnSync("bash", ["--version"]).error === undefined;

test("a fix of an older line does not move latest", { skip: !hasBash && "there is no bash here" }, async () => {
  await using registry = await startRegistry([]);
  const host = registry.url.replace("http:", "");
  const settings = [`registry=${registry.url}/`, `${host}/:_authToken=test`, `cache=${join(folder, "cache")}`];
  writeFileSync(join(folder, ".npmrc"), [...settings, "update-notifier=false"].join("\n"));
  // Only the host of the repository can sign a provenance.
  const script = workflowScript("Publish limmat first, because the others depend on it").replace("--provenance", "");
  const tags: string[] = [];
  const distTags = async (): Promise<unknown> =>
    Promise.all(
      names.map(async (name) => {
        const response = await fetch(`${registry.url}/${name}`);
        return ((await response.json()) as { readonly "dist-tags": unknown })["dist-tags"];
      }),
    );
  const publish = async (version: string): Promise<void> => {
    const tag = `v${version}`;
    if (!tags.includes(tag)) tags.push(tag);
    for (const name of names) packPackage(name, version);
    const env = shellEnvironment({ HOME: folder, GITHUB_REF_NAME: tag, DIST_TAG: npmDistTag(tag, tags) });
    await execute("bash", ["-eo", "pipefail", "-c", script], { cwd: folder, env });
  };

  await publish("1.2.3");
  await publish("2.0.0");
  await publish("1.2.4");
  await publish("3.0.0-beta.1");
  const expected = { latest: "2.0.0", next: "3.0.0-beta.1", "release-1.2.x": "1.2.4" };
  assert.deepEqual(
    await distTags(),
    names.map(() => expected),
  );
  // A repeated run skips what is published already.
  await publish("1.2.3");
  assert.deepEqual(
    await distTags(),
    names.map(() => expected),
  );
  const withoutTag = execute("bash", ["-eo", "pipefail", "-c", script], {
    cwd: folder,
    env: shellEnvironment({ HOME: folder, GITHUB_REF_NAME: "v1.2.6", DIST_TAG: "" }),
  });
  await assert.rejects(withoutTag, /DIST_TAG/);
});
