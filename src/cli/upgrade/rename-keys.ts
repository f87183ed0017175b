import { readdirSync } from "node:fs";
import type { Finding, KeyRename } from "./rename.ts";

/** Line that defines a key: `KEY=value`, `export KEY=value`, `KEY: value`, `- KEY=value`, each with or without a comment. */
const linePattern = /^([\s#]*(?:export )?(?:- ["']?)?)(\w+)(\s*[=:][^]*)$/;

/** Result of renaming configuration keys. */
export interface KeyResult {
  /** Changed texts by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly renamed: readonly Finding[];
}

/** Renames the variables that `compose.yaml` reads from an env file: `${KEY}`, `${KEY:-default}`. */
const renameVariables = (line: string, renames: readonly KeyRename[]): string =>
  line.replaceAll(/(\$\{?)(\w+)/g, (text, sign: string, key: string) => {
    const rename = renames.find(({ name }) => name === key);
    return rename === undefined ? text : sign + rename.target;
  });

/**
 * Renames configuration keys in the env files and in `compose.yaml` of a project. Values stay as they are. A key stays, too, if
 * the file has the new one as well.
 */
export function renameKeys(root: string, readFile: (path: string) => string, renames: readonly KeyRename[]): KeyResult {
  const files = new Map<string, string>();
  const renamed: Finding[] = [];
  const paths = readdirSync(root).filter((name) => /^\.env(?:\.|$)/.test(name) || /^compose.*\.ya?ml$/.test(name));
  for (const path of paths) {
    const lines = readFile(path).split("\n");
    const defined = new Set(lines.map((text) => linePattern.exec(text)?.[2]));
    const isCompose = path.startsWith("compose");
    const changed = lines.map((line, index) => {
      const text = isCompose ? renameVariables(line, renames) : line;
      const [, indent = "", key = "", rest = ""] = linePattern.exec(text) ?? [];
      const rename = renames.find(({ name, target }) => name === key && !defined.has(target));
      if (rename === undefined) return text;
      renamed.push({ path, line: index + 1, message: `${rename.name} → ${rename.target}` });
      return indent + rename.target + rest;
    });
    if (changed.some((text, index) => text !== lines[index])) files.set(path, changed.join("\n"));
  }
  return { files, renamed };
}
