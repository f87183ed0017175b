// Type-checks all examples in doc comments and documents. A name that neither the framework nor the example declares
// stands for code of the reader and can have any type. The examples of documents are then put into a project, whose own
// type and lint rules must accept them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { testProject } from "./generators/project.ts";
import { documentExamples, published, root } from "./sources.ts";

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

/** Pages whose examples form one program, in their order. */
const programs: readonly (readonly string[])[] = [
  ["cache"],
  ["database"],
  ["email"],
  ["migrations"],
  ["queue"],
  ["schedule"],
  ["services"],
  ["storage"],
  ["testing"],
  ["users", "login", "registration-and-accounts", "sessions-and-devices", "authorization"],
];

const partsOfProgram = (page: string): typeof documents =>
  documents.filter(({ document, file }) => document === `docs/guide/${page}.md` && file === undefined);

const codeOfProgram = (pages: readonly string[]): string =>
  pages
    .flatMap(partsOfProgram)
    .map(({ code }) => code)
    .join("\n");

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
    for (const pages of programs) writeFileSync(join(folder, `${pages[0]}.ts`), codeOfProgram(pages));
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
    });
    const typeErrors = stdout
      .split("\n")
      .filter((line) => line.includes("error TS") && !(/^\d/.test(line) && ignoredErrors.test(line)))
      .map((line) =>
        line.replace(/^(\d+)\.ts\((\d+),\d+\)/, (_, index: string, row: string) => {
          return `${examples[Number(index)]?.location} (line ${Number(row) - 1} of the example)`;
        }),
      );
    assert.deepEqual(typeErrors, []);
    assert.ok(examples.length > 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Runs a checker in a folder and returns the lines of its output. */
function checkLines(cwd: string, program: string, ...args: readonly string[]): readonly string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, "node_modules", program), ...args], {
    cwd,
    encoding: "utf8",
  });
  return `${stdout}${stderr}`.split("\n");
}

test("the checks of a new project accept the examples of documents", async () => {
  using project = testProject();
  const packages = join(project.root, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(join(root, "node_modules")).filter((entry) => !entry.startsWith("."))) {
    symlinkSync(join(root, "node_modules", name), join(packages, name));
  }
  await project.run("gen.html", "sqlite", "todo", "title:string", "notes:text?", "done:bool", "--wire");
  await project.run("gen.auth", "--wire");
  await project.run("gen.job", "report.send", "--wire");
  const { compilerOptions, ...configuration } = JSON.parse(project.read("tsconfig.json")) as {
    readonly compilerOptions: object;
  };
  // The package is not built, and an example without imports is a module as well.
  const options = { ...compilerOptions, customConditions: ["@limmat/source"], moduleDetection: "force" };
  project.write("package.json", '{ "type": "module" }');
  project.write("tsconfig.json", JSON.stringify({ ...configuration, compilerOptions: options }));

  const locations = new Map<string, string>();
  const write = (path: string, location: string, code: string): void => {
    locations.set(path, location);
    project.write(path, code);
  };
  const inPrograms = new Set(programs.flat().flatMap(partsOfProgram));
  // Only files in `run` create an application.
  for (const pages of programs) write(`run/guide-${pages[0]}.ts`, `docs/guide/${pages[0]}.md`, codeOfProgram(pages));
  for (const example of documents.filter((candidate) => !inPrograms.has(candidate))) {
    const { document, line, code, file } = example;
    const location = `${document}:${line}`;
    const suffix = `-${basename(document, ".md")}-${line}.ts`;
    const folderName = code.includes('from "../../') ? "web/guide/example" : "guide/example";
    const path = file === undefined ? folderName + suffix : file;
    const exists = existsSync(join(project.root, path));
    if (path === "service/service.ts") write(path, location, `${project.read(path)}\n${code}`);
    else write(exists ? path.replace(/\.ts$/, suffix) : path, location, code);
  }

  // Examples are fragments: their last name is unused, and an expression shows a value.
  const allowed = ["no-unused-vars", "no-unused-expressions"].flatMap((rule) => ["--allow", rule]);
  const problems = [
    ...checkLines(project.root, "oxlint/bin/oxlint", "--type-aware", "--deny-warnings", "--format=unix", ...allowed),
    ...["tsconfig.json", "resources/tsconfig.json"].flatMap((path) =>
      checkLines(project.root, "typescript/bin/tsc", "--noEmit", "--pretty", "false", "--project", path),
    ),
  ].filter((line) => /: error TS|\[Error\//.test(line) && !ignoredErrors.test(line));
  assert.deepEqual(
    problems.map((line) => line.replace(/^[^:(]+/, (path) => `${locations.get(path) ?? ""} ${path}`)),
    [],
  );
  assert.ok(locations.size > 60);
});
