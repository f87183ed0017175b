import { readdirSync } from "node:fs";
import type { Finding, KeyRename } from "./rename.ts";

/** Result of renaming configuration keys. */
export interface KeyResult {
  /** Changed texts by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly renamed: readonly Finding[];
}

/** Renames configuration keys in the env files and in `compose.yaml` of a project. Values stay as they are. */
export function renameKeys(root: string, readFile: (path: string) => string, renames: readonly KeyRename[]): KeyResult {
  const files = new Map<string, string>();
  const renamed: Finding[] = [];
  const paths = readdirSync(root).filter((name) => /^\.env(?:\.|$)/.test(name) || /^compose.*\.ya?ml$/.test(name));
  for (const path of paths) {
    const lines = readFile(path).split("\n");
    const changed = lines.map((text, index) => {
      const [, indent = "", key = "", rest = ""] = /^([\s#]*(?:export )?)(\w+)(\s*[=:].*)$/.exec(text) ?? [];
      const rename = renames.find(({ name }) => name === key);
      if (rename === undefined) return text;
      renamed.push({ path, line: index + 1, message: `${rename.name} → ${rename.target}` });
      return indent + rename.target + rest;
    });
    if (changed.some((text, index) => text !== lines[index])) files.set(path, changed.join("\n"));
  }
  return { files, renamed };
}
