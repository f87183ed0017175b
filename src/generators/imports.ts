import { printNames } from "./print.ts";

/** Pattern of an import statement. */
export const importStatement: RegExp = /^import\b[^;]*;\n/gm;

/** Returns the names that a statement imports, and their module; `undefined` for an import without a list of names. */
export function parseImport(
  statement: string,
): { readonly names: readonly string[]; readonly from: string } | undefined {
  const [, isType, list, from] = /^import (type )?\{([^}]*)\} from "([^"]+)";\n?$/.exec(statement) ?? [];
  if (list === undefined || from === undefined) return undefined;
  const names = list.split(",").map((name) => name.trim());
  return {
    from,
    names: names.filter((name) => name !== "").map((name) => (isType === undefined ? name : `type ${name}`)),
  };
}

/** Removes the imports that a module does not use. */
export function pruneImports(text: string): string {
  const code = text
    .replaceAll(importStatement, "")
    // Of a template that is the value of a property, only its expressions count.
    .replaceAll(/(?<=: )`[^`\n]*`/g, (template) => [...template.matchAll(/\$\{([^}]*)\}/g)].join(" "))
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "");
  const isUsed = (pattern: string): boolean => new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${pattern}`).test(code);
  return text.replaceAll(importStatement, (statement) => {
    const [, namespace] = /^import \* as (\w+)/.exec(statement) ?? [];
    if (namespace !== undefined) return isUsed(`${namespace}\\.`) ? statement : "";
    const { names = [], from } = parseImport(statement) ?? {};
    if (from === undefined) return statement;
    const used = names.filter((name) => isUsed(`${name.replace(/^type |^.* as /, "")}(?![\\w$]|\\??:)`));
    if (used.length === 0) return "";
    const isType = used.every((name) => name.startsWith("type "));
    const list = isType ? used.map((name) => name.replace("type ", "")) : used;
    return `${printNames(isType ? "import type" : "import", list, from)}\n`;
  });
}
