import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigurationInternals } from "../config/index.ts";
import { errors } from "./run/errors.ts";
import { camelCase } from "./schema/migration-source.ts";

/**
 * Writes a migration to `database/migration/<name>.ts` of the project, and adds it to the list of `database/migration.ts`.
 * Returns lines for the user.
 *
 * @throws E_MIGRATION_FILE_EXISTS
 */
export function writeMigration(name: string, source: string): readonly string[] {
  const root = ConfigurationInternals.root();
  const fileName = name.replaceAll("_", "-");
  const path = `database/migration/${fileName}.ts`;
  mkdirSync(join(root, dirname(path)), { recursive: true });
  try {
    writeFileSync(join(root, path), source, { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw errors.E_MIGRATION_FILE_EXISTS(path);
    }
    throw error;
  }
  const constant = camelCase(name);
  const importLine = `import { ${constant} } from "./migration/${fileName}.ts";`;
  const listPath = "database/migration.ts";
  const list = readText(join(root, listPath));
  const edited = list === undefined ? undefined : addToList(list, importLine, constant);
  if (edited === undefined) {
    return [
      `Wrote ${path}.`,
      `Add it to ${listPath}:`,
      `  ${importLine}`,
      `  export const migrations = [… ${constant}];`,
    ];
  }
  writeFileSync(join(root, listPath), edited);
  return [`Wrote ${path}, and added it to ${listPath}.`];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Adds an import and an item of the array `migrations`. Returns `undefined` for a file of another form. */
function addToList(text: string, importLine: string, item: string): string | undefined {
  const match = /^export const migrations\b[^=\n]*=\s*\[([^[\]]*)\]/m.exec(text);
  if (match === null) return undefined;
  const [whole, items = ""] = match;
  const open = match.index + whole.length - items.length - 1;
  const isMultiline = items.includes("\n");
  const trimmed = items.trimEnd().replace(/,$/, "");
  const separator = trimmed.trim() === "" ? "" : isMultiline ? ",\n  " : ", ";
  const end = isMultiline ? ",\n" : "";
  const edited = `${text.slice(0, open)}${trimmed}${separator}${item}${end}${text.slice(open + items.length)}`;
  const lastImport = [...edited.matchAll(/^import .*$/gm)].at(-1);
  if (lastImport === undefined) return `${importLine}\n\n${edited}`;
  const position = lastImport.index + lastImport[0].length;
  return `${edited.slice(0, position)}\n${importLine}${edited.slice(position)}`;
}
