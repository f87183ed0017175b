// Type-checks all examples in doc comments and documents against the sources. In a doc comment, a name that neither the
// framework nor the example declares stands for code of the reader and can have any type. `test/new-project/examples.long.test.ts`
// checks the examples of documents in a project, by its own rules, where every name must exist.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { codeOf, documentExamples, exampleModules, locate } from "./document-examples.ts";
import { published, root } from "./sources.ts";

interface Example {
  /** File and line: `src/core/command.ts:57`. */
  readonly location: string;
  /** Module that exports the documented name; empty in documents. */
  readonly module: string;
  readonly code: string;
}

// Inside of the package, so that `limmat` resolves to its source. Other checks ignore hidden folders.
const folder = join(root, "test/.examples");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly "@limmat/source"?: string }>>;
};

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

function docCommentExamples(): Example[] {
  return published().flatMap(({ path, text }) =>
    [...text.matchAll(/^ *\* @example\n(?<body>(?: *\*(?!\/| @).*\n)+)/gm)].map((match) => ({
      location: `${path}:${lineAt(text, match.index)}`,
      module: path.split("/")[1] ?? "",
      code: (match.groups?.["body"] ?? "").replaceAll(/^ *\* ?/gm, "").replaceAll(/^```(?:ts)?$/gm, ""),
    })),
  );
}

const documents = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).sort()].flatMap(documentExamples);

/** Code of browsers has types of its own. */
const isBrowserCode = ({ file = "" }: { readonly file: string | undefined }): boolean => file.startsWith("resources/");

/** Returns the names that an entry point exports, by its source text. */
function exportedNames(entryPoint: string): string[] {
  const path = exports[entryPoint]?.["@limmat/source"];
  const source = path === undefined ? "" : readFileSync(join(root, path), "utf8");
  const text = source.replaceAll(/\/\*[^]*?\*\//g, "");
  const listedNames = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const declaredNames = [...text.matchAll(/^export (?:\* as|const|type) (\w+)/gm)].map(([, name = ""]) => name);
  return [
    ...listedNames.map((part) =>
      part
        .trim()
        .replace(/^type /, "")
        .replace(/^.* as /, ""),
    ),
    ...declaredNames,
  ].filter(Boolean);
}

/** Returns the imports that an example omits: from its module first, then from the root entry point. */
function missingImports({ code, module }: Example): string {
  const codeWithoutComments = code.replaceAll(/\/\/.*$/gm, "");
  const isUndeclared = (name: string): boolean =>
    new RegExp(`(?<![.\\w"'/])${name}\\b(?!["'/])`).test(codeWithoutComments) &&
    !new RegExp(
      `\\b(?:const|let|function|class|type|interface|using) ${name}\\b|import[^;]*\\b${name}\\b[^;]*from`,
    ).test(codeWithoutComments);
  const importedNames = new Set<string>();
  return [`./${module}`, "."]
    .flatMap((entryPoint) =>
      exportedNames(entryPoint)
        .filter((name) => !importedNames.has(name) && isUndeclared(name))
        .map((name) => (importedNames.add(name), `import { ${name} } from "${entryPoint.replace(/^\./, "limmat")}";`)),
    )
    .join(" ");
}

// Errors that names of the reader cause (unknown names, parameters without a type), and code outside of a function ("return").
const ignoredErrors = /error TS(?:2304|2503|2552|2582|2593|1108|18004|7006|7031|7005|7034):|error TS2307: .*'\./;

test("examples in doc comments and documents type-check", () => {
  const examples = [
    ...docCommentExamples(),
    ...documents
      .filter((example) => !isBrowserCode(example))
      .map(({ document, line, code }) => ({ location: `${document}:${line}`, module: "", code })),
  ];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    examples.forEach((example, index) => {
      writeFileSync(join(folder, `${index}.ts`), `${missingImports(example)} export {};\n${example.code}`);
    });
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.json",
        compilerOptions: {
          isolatedDeclarations: false,
          verbatimModuleSyntax: false,
          declaration: false,
          rootDir: "../..",
        },
        include: ["./*.ts"],
      }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const programs = exampleModules(documents).filter((module) => module.examples.length > 1);
    for (const [index, program] of programs.entries()) {
      writeFileSync(join(folder, `program-${index}.ts`), codeOf(program));
    }
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
    });
    const typeErrors = stdout
      .split("\n")
      .filter((line) => line.includes("error TS") && !(/^\d/.test(line) && ignoredErrors.test(line)))
      .map((line) =>
        line.replace(/^(program-)?(\d+)\.ts\((\d+),\d+\)/, (match, isProgram, index: string, row: string) => {
          const program = isProgram === undefined ? undefined : programs[Number(index)];
          if (program !== undefined) return locate(program, Number(row));
          return `${examples[Number(index)]?.location ?? match} (line ${Number(row) - 1} of the example)`;
        }),
      );
    assert.deepEqual(typeErrors, []);
    assert.ok(examples.length > 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
