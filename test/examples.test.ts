// The examples of docstrings and of the documents, type-checked all at once. A name that is neither the framework's nor
// declared in its example stands for something of the reader's, and may be anything.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { published, root } from "./sources.ts";

interface Example {
  /** Where it stands: `src/core/command.ts:57`. */
  readonly place: string;
  /** The room whose door it stands behind; empty in documents. */
  readonly room: string;
  readonly code: string;
}

// Within the package, so that `limmat` means its source. The dot keeps other checks away.
const folder = join(root, "test/.examples");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly "@limmat/source"?: string }>>;
};

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

function inDocstrings(): Example[] {
  return published().flatMap(({ path, text }) =>
    [...text.matchAll(/^ *\* @example\n(?<body>(?: *\*(?!\/| @).*\n)+)/gm)].map((match) => ({
      place: `${path}:${lineAt(text, match.index)}`,
      room: path.split("/")[1] ?? "",
      code: (match.groups?.["body"] ?? "").replaceAll(/^ *\* ?/gm, "").replaceAll(/^```(?:ts)?$/gm, ""),
    })),
  );
}

function inDocuments(): Example[] {
  return ["README.md", ...globSync("docs/**/*.md", { cwd: root }).sort()].flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...text.matchAll(/^```ts\n(?<code>[^]*?)^```$/gm)].map((match) => ({
      place: `${path}:${lineAt(text, match.index)}`,
      room: "",
      code: match.groups?.["code"] ?? "",
    }));
  });
}

/** The names that a door exports, as its text lists them. */
function namesBehind(door: string): string[] {
  const path = exports[door]?.["@limmat/source"];
  const text = path === undefined ? "" : readFileSync(join(root, path), "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const single = [...text.matchAll(/^export (?:\* as|const|type) (\w+)/gm)].map(([, name = ""]) => name);
  return [
    ...lists.map((part) =>
      part
        .trim()
        .replace(/^type /, "")
        .replace(/^.* as /, ""),
    ),
    ...single,
  ].filter(Boolean);
}

/** The imports that an example leaves out: of its room first, then of the root. */
function preamble({ code, room }: Example): string {
  const bare = code.replaceAll(/\/\/.*$/gm, "");
  const isFree = (name: string): boolean =>
    new RegExp(`(?<![.\\w"'/])${name}\\b(?!["'/])`).test(bare) &&
    !new RegExp(
      `\\b(?:const|let|function|class|type|interface|using) ${name}\\b|import[^;]*\\b${name}\\b[^;]*from`,
    ).test(bare);
  const taken = new Set<string>();
  return [`./${room}`, "."]
    .flatMap((door) =>
      namesBehind(door)
        .filter((name) => !taken.has(name) && isFree(name))
        .map((name) => (taken.add(name), `import { ${name} } from "${door.replace(/^\./, "limmat")}";`)),
    )
    .join(" ");
}

// What follows from a name that is the reader's (unknown names, parameters that nothing gives a type), and from what stands
// around an example (a "return").
const readersOwn = /error TS(?:2304|2503|2552|2582|2593|1108|18004|7006|7031|7005|7034):|error TS2307: .*'\./;

/** Pages whose examples, one after the other, are one program, that of a reader who copies it into a project. */
const programs = [
  "cache",
  "database",
  "email",
  "migrations",
  "queue",
  "schedule",
  "services",
  "storage",
  "testing",
  "users",
];

test("the examples of docstrings and documents fit the interfaces that they show", () => {
  const documents = inDocuments();
  const examples = [...inDocstrings(), ...documents];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    examples.forEach((example, index) => {
      writeFileSync(join(folder, `${index}.ts`), `${preamble(example)} export {};\n${example.code}`);
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
    programs.forEach((page) => {
      const code = documents.filter(({ place }) => place.startsWith(`docs/guide/${page}.md:`)).map((each) => each.code);
      writeFileSync(join(folder, `${page}.ts`), code.join("\n"));
    });
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
    });
    const wrong = stdout
      .split("\n")
      .filter((line) => line.includes("error TS") && !(/^\d/.test(line) && readersOwn.test(line)))
      .map((line) =>
        line.replace(/^(\d+)\.ts\((\d+),\d+\)/, (_, index: string, row: string) => {
          return `${examples[Number(index)]?.place} (line ${Number(row) - 1} of the example)`;
        }),
      );
    assert.deepEqual(wrong, []);
    assert.ok(examples.length > 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
