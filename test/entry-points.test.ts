import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./sources.ts";

interface EntryPoint {
  readonly "@limmat/source": string;
  readonly types: string;
  readonly default: string;
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, EntryPoint | string>>;
};
const entryPoints = Object.entries(exports).filter(
  (entry): entry is [string, EntryPoint] => typeof entry[1] !== "string",
);

/** Returns the names that an entry point exports: values, members of namespaces as `Name.member`, and types. */
async function namesOf(source: string): Promise<string[]> {
  const path = join(root, source);
  const module = (await import(path)) as Readonly<Record<string, unknown>>;
  const names = Object.entries(module).flatMap(([name, value]) => {
    const isNamespace =
      typeof value === "object" && value !== null && Object.prototype.toString.call(value) === "[object Module]";
    return isNamespace ? [name, ...Object.keys(value).map((member) => `${name}.${member}`)] : [name];
  });
  return [...new Set([...names, ...typesOf(readFileSync(path, "utf8"))])].sort();
}

function typesOf(text: string): string[] {
  return [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType, list = ""]) =>
    list
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "" && (isType !== undefined || part.startsWith("type ")))
      .map((part) => `type ${part.replace(/^type /, "").replace(/^.* as /, "")}`),
  );
}

test("every entry point names a source file, and the files built from it", () => {
  for (const [name, entryPoint] of entryPoints) {
    assert.ok(
      existsSync(join(root, entryPoint["@limmat/source"])),
      `${name}: ${entryPoint["@limmat/source"]} is missing`,
    );
    const built = entryPoint["@limmat/source"].replace("./src/", "./dist/").replace(/\.ts$/, "");
    assert.deepEqual([entryPoint.types, entryPoint.default], [`${built}.d.ts`, `${built}.js`], name);
  }
});

// `npm run entry-points` updates the snapshot, so that every change of public names shows in review.
test("the entry points export the names of the snapshot", async (t) => {
  const found = Object.fromEntries(
    await Promise.all(
      entryPoints.map(async ([name, entryPoint]) => [name, await namesOf(entryPoint["@limmat/source"])] as const),
    ),
  );
  t.assert.fileSnapshot(found, join(root, "test/entry-points.snapshot.json"), {
    serializers: [(value) => `${JSON.stringify(value, undefined, 2)}\n`],
  });
});

test("an entry point exports only from the files that define a name", () => {
  for (const [name, entryPoint] of entryPoints) {
    const text = readFileSync(join(root, entryPoint["@limmat/source"]), "utf8");
    assert.doesNotMatch(text, /^export \* from/m, name);
  }
});
