// The code of the documents. ARCHITECTURE.md and CONTRIBUTING.md explain the marks that authors use.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./sources.ts";

/** Fenced block of a document. */
export interface DocumentBlock {
  /** Path of the document, from the root. */
  readonly document: string;
  /** Line of the opening fence. */
  readonly line: number;
  /** Text after the opening fence: `ts`, `diff`, `sh`; empty for output. */
  readonly language: string;
  readonly code: string;
  /** Path in the first line, `// web/view/item.ts`: the block is this file of a project, or edits of it. */
  readonly file: string | undefined;
}

/** Returns the fenced blocks of a document, in order. */
export function documentBlocks(document: string): readonly DocumentBlock[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(({ 1: language = "", 2: code = "", index }) => ({
    document,
    line: text.slice(0, index).split("\n").length,
    language,
    code,
    file: /^\/\/ ([\w./-]+\.[a-z]+)\n/.exec(code)?.[1],
  }));
}

/** Returns the examples of a document: its blocks of TypeScript, in order. */
export const documentExamples = (document: string): readonly DocumentBlock[] =>
  documentBlocks(document).filter(({ language }) => language === "ts");

/** Pages of the guide whose examples without a path form one program, in their order. */
const documentPrograms: readonly (readonly string[])[] = [
  ["admin"],
  ["audit"],
  ["cache"],
  ["content-security-policy"],
  ["database"],
  ["email"],
  ["metrics"],
  ["migrations"],
  ["password-reset"],
  ["payments"],
  ["policies"],
  ["pools"],
  ["queue"],
  ["schedule"],
  ["services"],
  ["storage"],
  ["tables"],
  ["testing"],
  ["tokens"],
  ["users", "login", "registration-and-accounts", "sessions-and-devices", "authorization"],
];

/** File of a project that consists of examples. */
export interface ExampleModule {
  /** Path in the project. */
  readonly path: string;
  readonly examples: readonly DocumentBlock[];
}

/** Pages in which an example without a path continues the file of the one before it. */
const continuedPages = /^docs\/(?:coming-from|concepts)\//;

/**
 * Distributes examples to files of a project: a program of the guide, the path in the first line, the file that an example
 * continues, or a file in the layer that fits its imports.
 */
export function exampleModules(examples: readonly DocumentBlock[]): readonly ExampleModule[] {
  const modules = documentPrograms.map((pages) => ({
    path: `run/example-${pages[0]}.ts`,
    examples: pages.flatMap((page) =>
      examples.filter(({ document, file }) => document === `docs/guide/${page}.md` && file === undefined),
    ),
  }));
  const inPrograms = new Set(modules.flatMap((program) => program.examples));
  for (const example of examples.filter((candidate) => !inPrograms.has(candidate))) {
    const last = modules.at(-1);
    const isContinued =
      example.file === undefined &&
      continuedPages.test(example.document) &&
      last?.examples[0]?.document === example.document;
    if (isContinued) last.examples.push(example);
    else modules.push({ path: example.file ?? scratchPath(example), examples: [example] });
  }
  return modules.filter((module) => module.examples.length > 0);
}

/** Returns the code of a file. */
export const codeOf = ({ examples }: ExampleModule): string => examples.map(({ code }) => code).join("");

/** Returns statements that export what a file declares and does not export, as the code around an example would use it. */
export function missingExports(code: string): string {
  const namesIn = (pattern: RegExp): readonly string[] => [...code.matchAll(pattern)].map(([, name = ""]) => name);
  const types = namesIn(/^(?:interface|type) (\w+)/gm);
  const destructured = namesIn(/^(?:const|let) ([[{][^=]*[\]}]) = /gm).flatMap((names) =>
    names
      .slice(1, -1)
      .split(",")
      .map((name) => name.replace(/^.*:|\.\.\./, "").trim()),
  );
  const values = [...namesIn(/^(?:const|let|(?:async )?function\*?) (\w+)/gm), ...destructured];
  const statements = [`export { ${values.filter((name) => name !== "").join(", ")} };\n`];
  return [...statements, `export type { ${types.join(", ")} };\n`].filter((text) => !text.includes("{  }")).join("");
}

/** Returns the place of a row of a file: `docs/guide/web.md:12`. */
export function locate({ path, examples }: ExampleModule, row: number): string {
  let firstRow = 1;
  for (const { document, line, code } of examples) {
    const nextRow = firstRow + code.split("\n").length - 1;
    if (row < nextRow) return `${document}:${line + 1 + row - firstRow}`;
    firstRow = nextRow;
  }
  return `${path}:${row}`;
}

/** Returns the path of the file of an example without a path of its own. */
function scratchPath({ document, line, code }: DocumentBlock): string {
  const suffix = `example-${basename(document, ".md")}-${line}.ts`;
  return `${layerOf(code)}/${suffix}`;
}

/** Returns the folder of an example: the layer of a project that may import what it imports. */
function layerOf(code: string): string {
  if (/^import \{[^}]*\bApp\b[^}]*\} from "limmat";/m.test(code)) return "run";
  if (/from "(?:limmat\/testing|limmat-contracts|node:test)"/.test(code)) return "test";
  if (/from "\.\.\/(?!\.\.)/.test(code)) return "routes";
  const isWeb = /\b(?:Web|Response)\.|\bWeb\b[^;]*from "limmat"|from "limmat\/(?:components|html|http|web)"/.test(code);
  return isWeb ? "web/view" : "app/domain/example";
}

/** Changed file. */
export interface EditedFile {
  readonly path: string;
  readonly text: string;
}

/** Applies a block of edits to the file that its first line names. `@@` separates the edits. */
export function applyEdits(block: string, read: (path: string) => string): EditedFile {
  const [, path = "", edits = ""] = /^\/\/ (\S+)\n([^]*)$/.exec(block) ?? [];
  const text = edits.split(/^@@\n/m).reduce((current, edit) => {
    const lines = edit.split(/(?<=\n)/);
    const side = (sign: string): string =>
      lines
        .filter((line) => line.startsWith(" ") || line.startsWith(sign))
        .map((line) => line.slice(1))
        .join("");
    assert.equal(current.split(side("-")).length, 2, `${path} contains this once:\n${side("-")}`);
    return current.replace(side("-"), () => side("+"));
  }, read(path));
  return { path, text };
}
