import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errors } from "./errors.ts";

/** What the placeholders of a stub stand for. A value may have several lines, and may be empty. */
export type Values = Readonly<Record<string, string>>;

// The package has the folders `stubs` and `template` beside `src`, and beside `dist` when it is installed.
const packageRoot = folderWithStubs(dirname(fileURLToPath(import.meta.url)));

const placeholder = /\{\{([A-Za-z.]+)\}\}/g;
const lonePlaceholder = /^([ \t]*)\{\{([A-Za-z.]+)\}\}([,;]?)$/;

/**
 * Renders a stub: `stubs/<path>.stub`.
 *
 * `{{name}}` is replaced by its value. On a line of its own it keeps its indentation for every line of the value, and
 * an empty value takes the line away.
 *
 * @throws E_GENERATE_STUB for a placeholder that has no value, and for a value that no placeholder asks for.
 */
export function renderStub(path: string, values: Values): string {
  const used = new Set<string>();
  const valueOf = (name: string): string => {
    const value = values[name];
    if (value === undefined) throw errors.E_GENERATE_STUB(path, `nothing was given for {{${name}}}.`);
    used.add(name);
    return value;
  };
  const lines = readText(`stubs/${path}.stub`)
    .split("\n")
    .flatMap((line): string[] => {
      const [, indent = "", name, end = ""] = lonePlaceholder.exec(line) ?? [];
      if (name === undefined) return [line.replace(placeholder, (_, inline: string) => valueOf(inline))];
      const value = valueOf(name);
      return value === "" ? [] : `${value}${end}`.split("\n").map((part) => (part === "" ? "" : indent + part));
    });
  const idle = Object.keys(values).find((name) => !used.has(name));
  if (idle !== undefined) throw errors.E_GENERATE_STUB(path, `it has no place for "${idle}".`);
  return lines.join("\n");
}

/** A text of the package, by its path from the package's root. */
export function readText(path: string): string {
  return readFileSync(packagePath(path), "utf8");
}

/** Where a file or folder of the package is. */
export function packagePath(path: string): string {
  return join(packageRoot, path);
}

/** The nearest folder upwards that has the stubs; built files lie deeper or less deep than their sources. */
function folderWithStubs(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "stubs")) || folder === dirname(folder)) return folder;
  }
}
