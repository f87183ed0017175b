import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addImports } from "./add-imports.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Something to change in a file that is there already. */
export interface Edit {
  readonly path: string;
  readonly imports: readonly string[];
  readonly change: Change;
  /** What a person is told to add, where it cannot be added. */
  readonly shown: string;
}

/** Changes a text: gives the same where that was done before, and `undefined` where the place is not found for sure. */
export type Change = (text: string) => string | undefined;

/** What came of edits. */
export interface Wired {
  readonly files: readonly GeneratedFile[];
  /** The edits that could not be made, for a person to make. */
  readonly left: readonly Edit[];
}

/**
 * Makes edits to the files of a project, in memory. A file in which the place is not found for sure is left as it is;
 * an edit that was made before is not made again.
 */
export function wire(root: string, edits: readonly Edit[]): Wired {
  const texts = new Map<string, string>();
  const left: Edit[] = [];
  for (const edit of edits) {
    const path = join(root, edit.path);
    const text = texts.get(edit.path) ?? (existsSync(path) ? readFileSync(path, "utf8") : undefined);
    const changed = text === undefined ? undefined : edit.change(text);
    if (changed === undefined) left.push(edit);
    else if (changed !== text) texts.set(edit.path, addImports(changed, edit.imports));
  }
  const files = [...texts].map(([path, text]) => ({ path, text, whenPresent: "replace" as const }));
  return { files, left };
}

/** Declares a value at the end, `export const <name> = …`, unless one of this name is there. */
export function addValue(name: string, value: string): Change {
  const declared = new RegExp(`^export const ${name}\\b`, "m");
  return (text) => (declared.test(text) ? text : `${text.trimEnd()}\nexport const ${name} = ${value};\n`);
}

/** Adds lines at the end, unless the text has `done`. */
export function addLines(done: string, lines: string): Change {
  return (text) => (text.includes(done) ? text : `${text.trimEnd()}\n${lines}\n`);
}

/** Replaces what a pattern finds, unless the text has `done`. */
export function replace(done: string, pattern: RegExp, by: string): Change {
  return (text) => {
    if (text.includes(done)) return text;
    return pattern.test(text) ? text.replace(pattern, by) : undefined;
  };
}
