import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./sources.ts";

interface Door {
  readonly "@limmat/source": string;
  readonly types: string;
  readonly default: string;
}

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, Door | string>>;
};
const doors = Object.entries(exports).filter((entry): entry is [string, Door] => typeof entry[1] !== "string");

/** The names that a door exports: values by what is there, what a namespace holds by `Name.member`, types by the text. */
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

test("every door leads from a source to what is built of it", () => {
  for (const [name, door] of doors) {
    assert.ok(existsSync(join(root, door["@limmat/source"])), `${name}: ${door["@limmat/source"]} is missing`);
    const built = door["@limmat/source"].replace("./src/", "./dist/").replace(/\.ts$/, "");
    assert.deepEqual([door.types, door.default], [`${built}.d.ts`, `${built}.js`], name);
  }
});

// `npm run doors` writes the list anew: a change of the public names is made on purpose, and seen in review.
test("the doors export the names that are kept in the list", async (t) => {
  const found = Object.fromEntries(
    await Promise.all(doors.map(async ([name, door]) => [name, await namesOf(door["@limmat/source"])] as const)),
  );
  t.assert.fileSnapshot(found, join(root, "test/doors.snapshot.json"), {
    serializers: [(value) => `${JSON.stringify(value, undefined, 2)}\n`],
  });
});

test("a door only exports from the files that define", () => {
  for (const [name, door] of doors) {
    const text = readFileSync(join(root, door["@limmat/source"]), "utf8");
    assert.doesNotMatch(text, /^export \* from/m, name);
  }
});
