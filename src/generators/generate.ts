import { parseArgs } from "node:util";
import type { Command } from "../core/index.ts";
import { hashText, readRuns, type RecordedFile, writeRuns } from "./runs.ts";
import { catalogueEdits, type TextGroup } from "./texts.ts";
import { addImports, type FileEdit, wire } from "./wire.ts";
import { type GeneratedFile, readProjectFile, writeFiles, type WrittenFile } from "../project/index.ts";

/** Flags of a generator. */
export interface GeneratorFlags {
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  readonly isWired: boolean;
  /** True to generate pages or an API for a model that already exists. */
  readonly isWithoutModel: boolean;
  readonly plural: string | undefined;
  /** Name of the model below which the resource is nested. */
  readonly in: string | undefined;
  readonly hasOwner: boolean;
  readonly hasMembers: boolean;
  /** True if clients of an API need a token. */
  readonly needsToken: boolean;
}

/** Parsed arguments of a generator. */
export interface GeneratorArguments extends GeneratorFlags {
  readonly positionals: readonly string[];
}

const flagOptions = {
  "dry-run": { type: "boolean" },
  force: { type: "boolean" },
  wire: { type: "boolean" },
  "no-model": { type: "boolean" },
  plural: { type: "string" },
  in: { type: "string" },
  owner: { type: "boolean" },
  members: { type: "boolean" },
  token: { type: "boolean" },
} as const;

/** Name of a flag of generators. */
export type FlagName = keyof typeof flagOptions;

/**
 * Parses the arguments of a generator. Every generator accepts `--dry-run` and `--force`; `extraFlags` lists the others.
 *
 * @throws the errors of `parseArgs` of `node:util`.
 */
export function parseArguments(args: readonly string[], extraFlags: readonly FlagName[] = []): GeneratorArguments {
  const flags: readonly FlagName[] = ["dry-run", "force", ...extraFlags];
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(flags.map((name) => [name, flagOptions[name]])),
    allowPositionals: true,
  });
  return {
    positionals,
    isDryRun: values["dry-run"] === true,
    isForced: values["force"] === true,
    isWired: values["wire"] === true,
    isWithoutModel: values["no-model"] === true,
    plural: typeof values["plural"] === "string" ? values["plural"] : undefined,
    hasOwner: values["owner"] === true,
    hasMembers: values["members"] === true,
    needsToken: values["token"] === true,
    in: typeof values["in"] === "string" ? values["in"] : undefined,
  };
}

/** Files and edits of a generator. */
export interface GenerationPlan {
  readonly files: readonly GeneratedFile[];
  /** Edits of existing files. */
  readonly edits: readonly FileEdit[];
  /** Texts of the files, which are added to the catalogues of the project, even without `--wire`: the files need them. */
  readonly texts?: readonly TextGroup[];
  /** Next steps for the user, one line each. */
  readonly nextSteps?: readonly string[];
  /** Alternative to `--force` if files already exist. Default "Choose another name". */
  readonly existsHint?: string;
  /** Warnings and hints, one line each. */
  readonly remarks?: readonly (string | undefined)[];
}

/** Writes the files of a plan, and prints the changes, the edits that are left to the user, and the next steps. */
export function generate(
  root: string,
  plan: GenerationPlan,
  flags: GeneratorFlags,
  output: Command.Output,
): Command.Done {
  const { isDryRun, isForced } = flags;
  const { files, edits, texts = [], nextSteps = [], remarks = [], existsHint } = plan;
  const wired = wire(root, [...catalogueEdits(root, texts, files), ...(flags.isWired ? edits : [])]);
  const isNotEdited = ({ path }: GeneratedFile): boolean => !wired.files.some((file) => file.path === path);
  const plannedFiles = [...files.filter(isNotEdited), ...wired.files];
  const previousTexts = new Map(plannedFiles.map(({ path }) => [path, readProjectFile(root, path)]));
  const writtenFiles = writeFiles(plannedFiles, { root, isForced, isDryRun, existsHint });
  if (!isDryRun) recordRun(root, plannedFiles, writtenFiles, previousTexts);
  for (const file of writtenFiles) output.print(changeLine(file));
  for (const remark of remarks) if (remark !== undefined) output.note(remark);
  const manualEdits = Map.groupBy([...wired.manualEdits, ...(flags.isWired ? [] : edits)], ({ path }) => path);
  for (const [path, editsOfFile] of manualEdits) printManualEdits(path, editsOfFile, output);
  if (nextSteps.length > 0) {
    output.print("\nNext steps:\n");
    for (const step of nextSteps) output.print(`  ${step}`);
  }
  if (isDryRun) output.note("Dry run: no file was written.");
  return { done: true };
}

/** Records the written files for `gen.undo`. */
function recordRun(
  root: string,
  plannedFiles: readonly GeneratedFile[],
  writtenFiles: readonly WrittenFile[],
  previousTexts: ReadonlyMap<string, string | undefined>,
): void {
  const changed = new Set(writtenFiles.filter(({ change }) => change !== "kept").map(({ path }) => path));
  const recorded = plannedFiles
    .filter(({ path }) => changed.has(path))
    .map(({ path, text }): RecordedFile => {
      const before = previousTexts.get(path);
      return { path, hash: hashText(text), ...(before === undefined ? {} : { edit: { before, after: text } }) };
    });
  writeRuns(root, [...readRuns(root), { files: recorded }]);
}

function printManualEdits(path: string, edits: readonly FileEdit[], output: Command.Output): void {
  const newImports = edits.flatMap(({ imports = [] }) => imports);
  const imports = newImports.length === 0 ? [] : [addImports("", newImports)];
  const code = [...imports, ...edits.map(({ snippet }) => snippet)].join("\n");
  output.print(`\nAdd to ${path}:\n`);
  for (const line of code.split("\n")) output.print(line === "" ? "" : `  ${line}`);
}

const changeLine = ({ path, change }: WrittenFile): string => `${change.padEnd(12)} ${path}`;
