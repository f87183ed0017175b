import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Error of the type checker. */
export interface TypeProblem {
  /** Path relative to the project, with `/` as separator. */
  readonly path: string;
  /** Position in the file, from 1. */
  readonly line: number;
  readonly column: number;
  /** All lines of the message. */
  readonly message: string;
}

const errorLine = /^(.+?)\((\d+),(\d+)\): error (TS\d+: .*)$/;

/** Returns the program `tsc` of a project; `undefined` if TypeScript is not installed. */
export function findTypeChecker(root: string): string | undefined {
  try {
    const manifestPath = createRequire(join(root, "package.json")).resolve("typescript/package.json");
    const { bin } = JSON.parse(readFileSync(manifestPath, "utf8")) as { readonly bin?: Record<string, string> };
    const path = join(dirname(manifestPath), bin?.["tsc"] ?? "bin/tsc");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Runs the type checker in a folder, and returns its errors. */
export function checkTypes(typeChecker: string, folder: string): readonly TypeProblem[] {
  const { stdout } = spawnSync(process.execPath, [typeChecker, "--noEmit", "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 100 * 1024 * 1024,
  });
  return parseTypeProblems(stdout ?? "");
}

/** Parses the output of the type checker. Indented lines continue the message before them. */
export function parseTypeProblems(output: string): readonly TypeProblem[] {
  const errors: TypeProblem[] = [];
  for (const text of output.split(/\r?\n/)) {
    const [, path, line, column, message = ""] = errorLine.exec(text) ?? [];
    const last = errors.at(-1);
    if (path !== undefined) {
      errors.push({ path: path.replaceAll("\\", "/"), line: Number(line), column: Number(column), message });
    } else if (last !== undefined && text.startsWith(" ")) {
      errors[errors.length - 1] = { ...last, message: `${last.message}\n${text}` };
    }
  }
  return errors;
}
