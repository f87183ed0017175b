import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errors } from "./errors.ts";

/** Values of a stub, by name. A text may be empty or have several lines. True and false are conditions. */
export type StubValues = Readonly<Record<string, string | boolean>>;

// `stubs` and `template` are siblings of `src` in the repository and of `dist` in the published package.
const packageRoot = folderWithStubs(dirname(fileURLToPath(import.meta.url)));

const placeholder = /\{\{([A-Za-z.]+)\}\}/g;
const linePlaceholder = /^([ \t]*)\{\{([A-Za-z.]+)\}\}([,;]?)$/;
const lineCondition = /^\{\{([#^])([A-Za-z]+)\}\}/;

/**
 * Renders a stub: `stubs/<path>.stub`.
 *
 * Replaces `{{name}}` by its value. A placeholder that is alone on its line indents every line of the value; an empty
 * value removes the line. A line that begins with `{{#name}}` is for a value that is true or a text, one with `{{^name}}`
 * for the others.
 *
 * @param shared Values that the stub need not use.
 * @throws E_GENERATE_STUB for a placeholder without a value, and for a value without a placeholder.
 */
export function renderStub(path: string, values: StubValues, shared: StubValues = {}): string {
  const stub = readPackageFile(`stubs/${path}.stub`);
  const valueOf = (name: string): string => {
    const value = values[name] ?? shared[name];
    if (value === undefined) throw errors.E_GENERATE_STUB(path, `the placeholder {{${name}}} has no value.`);
    return value === false ? "" : String(value);
  };
  const renderLine = (line: string): readonly string[] => {
    const [condition = "", sign, flag] = lineCondition.exec(line) ?? [];
    if (flag !== undefined)
      return (valueOf(flag) !== "") === (sign === "#") ? renderLine(line.slice(condition.length)) : [];
    const [, indent = "", name, end = ""] = linePlaceholder.exec(line) ?? [];
    if (name === undefined) return [line.replace(placeholder, (_, inline: string) => valueOf(inline))];
    const value = valueOf(name);
    return value === "" ? [] : `${value}${end}`.split("\n").map((part) => (part === "" ? "" : indent + part));
  };
  const unused = Object.keys(values).find((name) => !new RegExp(`\\{\\{[#^]?${name}\\}\\}`).test(stub));
  if (unused !== undefined) throw errors.E_GENERATE_STUB(path, `it has no placeholder for the value "${unused}".`);
  return stub.split("\n").flatMap(renderLine).join("\n");
}

/** Reads a text file of the package, by its path from the root of the package. */
export const readPackageFile = (path: string): string => readFileSync(packagePath(path), "utf8");

/**
 * Returns the version of the framework. The repository writes it in the changelog only, and the package in its `package.json` as
 * well (docs/decisions/025).
 */
export function frameworkVersion(): string {
  const { version } = JSON.parse(readPackageFile("package.json")) as { readonly version?: string };
  const newest = version ?? /^## (\d+\.\d+\.\d+\S*)/m.exec(readPackageFile("CHANGELOG.md"))?.[1];
  if (newest === undefined) throw errors.E_GENERATE_STUB("CHANGELOG.md", "it has no version.");
  return newest;
}

/** Returns the version of a package that projects use: the one that the framework is tested with. */
export function packageVersion(name: string): string {
  const { devDependencies } = JSON.parse(readPackageFile("package.json")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const version = devDependencies[name];
  if (version === undefined) throw errors.E_GENERATE_STUB("package.json", `it has no version of "${name}".`);
  return version;
}

/** Returns the absolute path of a file or folder of the package. */
export const packagePath = (path: string): string => join(packageRoot, path);

/** Returns the nearest parent folder with a `stubs` folder. The depth of built files differs from their sources. */
function folderWithStubs(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "stubs")) || folder === dirname(folder)) return folder;
  }
}
