import { basename } from "node:path";
import { errors, type GeneratedFile, readProjectFile } from "../project/index.ts";
import { printNames } from "./print.ts";

/** An edit of an existing file. */
export interface FileEdit {
  readonly path: string;
  /** Imports of the added code. Default: none. */
  readonly imports?: readonly string[];
  readonly apply: TextTransform;
  /** Code to print for the user if the edit cannot be applied. */
  readonly snippet: string;
}

/** Transforms a text. Returns it unchanged if the edit is already there, `undefined` if there is no place for it. */
export type TextTransform = (text: string) => string | undefined;

/** Result of applying edits. */
export interface WireResult {
  readonly files: readonly GeneratedFile[];
  /** Edits that the user has to make. */
  readonly manualEdits: readonly FileEdit[];
}

/**
 * Applies edits to the files of a project, in memory. An edit without an unambiguous place is left to the user. An edit
 * that is already there is not repeated.
 */
export function wire(root: string, edits: readonly FileEdit[]): WireResult {
  const editedTexts = new Map<string, string>();
  const manualEdits: FileEdit[] = [];
  for (const edit of edits) {
    const text = editedTexts.get(edit.path) ?? readProjectFile(root, edit.path);
    const edited = text === undefined ? undefined : edit.apply(text);
    if (edited === undefined) manualEdits.push(edit);
    else if (edited !== text) editedTexts.set(edit.path, addImports(edited, edit.imports));
  }
  const files = [...editedTexts].map(([path, text]) => ({ path, text, whenPresent: "replace" as const }));
  return { files, manualEdits };
}

/**
 * Checks that the name of a new value is free in the file that will import it. `role` describes the name in the error
 * message.
 *
 * @throws E_GENERATE_NAME if the file declares or imports something else with this name, or would import itself.
 */
export function requireFreeName(root: string, edit: FileEdit, name: string, role: string): void {
  const { path, imports = [], snippet } = edit;
  const text = readProjectFile(root, path) ?? "";
  const declaration = new RegExp(`^(?:export )?(?:const|let|function|class) ${name}\\b`, "m");
  const isDeclared = [text, snippet].some((code) => declaration.test(code));
  const importsItself = imports.some((statement) => statement.includes(`from "./${basename(path)}"`));
  const isImported = [...text.matchAll(importStatement)].some(
    ([statement]) => !imports.includes(statement.trimEnd()) && new RegExp(`\\b${name}\\b[^"]* from "`).test(statement),
  );
  if (!isDeclared && !importsItself && !isImported) return;
  throw errors.E_GENERATE_NAME(role, name, `${path} uses it for something else. Choose another name.`);
}

/** Appends `export const <name> = <value>`, unless the name is already exported. */
export function addExport(name: string, value: string): TextTransform {
  const declaration = new RegExp(`^export const ${name}\\b`, "m");
  return (text) => (declaration.test(text) ? text : `${text.trimEnd()}\nexport const ${name} = ${value};\n`);
}

/** Appends lines, unless the text contains `marker`. */
export function addLines(marker: string, lines: string): TextTransform {
  return (text) => (text.includes(marker) ? text : `${text.trimEnd()}\n${lines}\n`);
}

/** Edits the dependencies in the text of a `package.json`, and sorts them. */
export function editDependencies(text: string, edit: (dependencies: Record<string, string>) => void): string {
  const manifest = JSON.parse(text) as { readonly dependencies?: Readonly<Record<string, string>> };
  const dependencies: Record<string, string> = { ...manifest.dependencies };
  edit(dependencies);
  const sorted = Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ ...manifest, dependencies: sorted }, undefined, 2)}\n`;
}

/** Replaces the match of a pattern, unless the text contains `marker`. */
export function replaceOnce(marker: string, pattern: RegExp, replacement: string): TextTransform {
  return (text) => {
    if (text.includes(marker)) return text;
    return pattern.test(text) ? text.replace(pattern, replacement) : undefined;
  };
}

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

/**
 * Adds imports. A name joins the existing import of its module; other imports follow the last import of their kind
 * (packages first, then files).
 */
export function addImports(text: string, imports: readonly string[] = []): string {
  return imports.reduce(addImport, text);
}

function addImport(text: string, newImport: string): string {
  if (text.includes(newImport)) return text;
  const added = parseImport(newImport);
  const statements = [...text.matchAll(importStatement)];
  for (const [statement, index = 0] of statements.map((match) => [match[0], match.index] as const)) {
    const present = statement.startsWith("import type") ? undefined : parseImport(statement);
    if (added === undefined || present?.from !== added.from) continue;
    const names = [...new Set([...present.names, ...added.names])];
    return replaceAt(text, index, statement, `${printNames("import", names, added.from)}\n`);
  }
  const isPackage = (statement: string): boolean => !/ from "\.{1,2}\//.test(statement);
  const sameKind = isPackage(newImport) ? statements.filter(([statement]) => isPackage(statement)) : statements;
  const last = sameKind.at(-1);
  if (last !== undefined) return replaceAt(text, last.index, last[0], `${last[0]}${newImport}\n`);
  return `${newImport}\n${statements.length === 0 && text !== "" ? "\n" : ""}${text}`;
}

const replaceAt = (text: string, index: number, old: string, replacement: string): string =>
  text.slice(0, index) + replacement + text.slice(index + old.length);
