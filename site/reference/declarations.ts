import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../pages.ts";

const folder = join(import.meta.dirname, "../tmp/declarations");

/** Entry point of the package with its declarations. */
export interface EntryPoint {
  /** Name in an import, such as `limmat/web`. */
  readonly name: string;
  readonly module: ts.Symbol;
}

/** Declarations of the package's entry points, and the checker that resolves their names. */
export interface Declarations {
  readonly entryPoints: readonly EntryPoint[];
  readonly checker: ts.TypeChecker;
}

/**
 * Emits the declarations of the sources with the compiler of the repository and loads them. The compiler API comes from
 * TypeScript 6: version 7 has none.
 */
export function loadDeclarations(): Declarations {
  rmSync(folder, { recursive: true, force: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  // Without the type check, which `npm run check` makes: an error in a function does not prevent its declaration.
  const compilerArguments = [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", folder, "--noCheck"];
  const { stdout } = spawnSync(process.execPath, compilerArguments, { encoding: "utf8" });
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly "@limmat/source": string }>>;
  };
  const files = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [{ name: path.replace(/^\./, "limmat"), file: declarationFile(target["@limmat/source"]) }],
  );
  const program = ts.createProgram(
    files.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    },
  );
  const checker = program.getTypeChecker();
  const entryPoints = files.map(({ name, file }) => {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`The entry point ${name} has no declarations: ${file}\n${stdout}`);
    return { name, module };
  });
  return { entryPoints, checker };
}

const declarationFile = (source: string): string =>
  join(folder, source.replace(/^\.\/src\//, "").replace(/\.ts$/, ".d.ts"));
