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

/** Result of the type checker. */
export interface TypeCheck {
  readonly problems: readonly TypeProblem[];
  /** Reason why it has not checked all files, such as an invalid `tsconfig.json`. */
  readonly failure: string | undefined;
}

/** Runs the type checker in a folder. */
export function checkTypes(typeChecker: string, folder: string): TypeCheck {
  const { status, stdout, stderr } = spawnSync(process.execPath, [typeChecker, "--noEmit", "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 100 * 1024 * 1024,
  });
  const problems = parseTypeProblems(stdout ?? "");
  const failure = /^(?:tsconfig\.json\(.*\): )?error TS\d+: .*$/m.exec(stdout ?? "")?.[0];
  const hasCrashed = status !== 0 && problems.length === 0;
  return { problems, failure: failure ?? (hasCrashed ? (stderr ?? "").trim().split("\n")[0] : undefined) };
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
