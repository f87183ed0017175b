import { parseArgs } from "node:util";
import type { Command } from "../../core/index.ts";
import { addImports } from "./add-imports.ts";
import { type Edit, wire } from "./wire.ts";
import { type GeneratedFile, writeFiles, type WrittenFile } from "./write-files.ts";

/** The flags of a generator. */
export interface Flags {
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  readonly isWired: boolean;
  /** Only the part that is asked for: the files of the model are there already. */
  readonly isWithoutModel: boolean;
  readonly plural: string | undefined;
}

/** What a generator was told. */
export interface Arguments extends Flags {
  readonly rest: readonly string[];
}

const options = {
  "dry-run": { type: "boolean" },
  force: { type: "boolean" },
  wire: { type: "boolean" },
  "no-model": { type: "boolean" },
  plural: { type: "string" },
} as const;

type FlagName = keyof typeof options;

/** Reads the arguments of a generator that knows these flags beside `--dry-run` and `--force`; throws what `parseArgs` throws. */
export function parseArguments(args: readonly string[], known: readonly FlagName[] = []): Arguments {
  const allowed: readonly FlagName[] = ["dry-run", "force", ...known];
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(allowed.map((name) => [name, options[name]])),
    allowPositionals: true,
  });
  return {
    rest: positionals,
    isDryRun: values["dry-run"] === true,
    isForced: values["force"] === true,
    isWired: values["wire"] === true,
    isWithoutModel: values["no-model"] === true,
    plural: typeof values["plural"] === "string" ? values["plural"] : undefined,
  };
}

/** What a generator makes. */
export interface Generated {
  readonly files: readonly GeneratedFile[];
  /** What is to be added to files that are there already. */
  readonly edits: readonly Edit[];
  /** What is left to do once all is written and wired, one line each. */
  readonly next?: readonly string[];
  /** What should be known beside. */
  readonly remarks?: readonly (string | undefined)[];
}

/** Writes what a generator made, and tells what was done and what is left to do. */
export function generate(root: string, generated: Generated, flags: Flags, output: Command.Output): Command.Done {
  const { isDryRun, isForced } = flags;
  const { files, edits, next = [], remarks = [] } = generated;
  const wired = flags.isWired ? wire(root, edits) : { files: [], left: edits };
  const isLeft = ({ path }: GeneratedFile): boolean => !wired.files.some((file) => file.path === path);
  const written = writeFiles([...files.filter(isLeft), ...wired.files], { root, isForced, isDryRun });
  for (const file of written) output.print(lineOf(file));
  for (const remark of remarks) if (remark !== undefined) output.note(remark);
  for (const path of new Set(wired.left.map((edit) => edit.path))) {
    const ofFile = wired.left.filter((edit) => edit.path === path);
    const imports = addImports(
      "",
      ofFile.flatMap((edit) => edit.imports),
    );
    output.print(`\nAdd to ${path}:\n`);
    const shown = ofFile.map((edit) => edit.shown).join("\n");
    for (const line of (imports === "" ? shown : `${imports}\n${shown}`).split("\n"))
      output.print(line === "" ? "" : `  ${line}`);
  }
  if (next.length > 0) {
    output.print("\nThen:\n");
    for (const line of next) output.print(`  ${line}`);
  }
  if (isDryRun) output.note("Nothing was written: this was a dry run.");
  return { done: true };
}

const verbs = { create: "created", overwrite: "overwritten", edit: "edited", keep: "kept" } as const;

function lineOf({ path, change }: WrittenFile): string {
  return `${verbs[change].padEnd(12)} ${path}`;
}
