import type { Edit, Program } from "./program.ts";
import type { ExportRename } from "./rename.ts";

/** Old name in another form than an import declaration. */
export interface OtherImport {
  /** Index of the token of the name. */
  readonly index: number;
  readonly rename: ExportRename;
  /** Edit that renames it; `undefined` if the user has to. */
  readonly edit: Edit | undefined;
}

/**
 * Finds old names in `export { name } from "limmat"`, which keeps the name that the program exports, and in programs that call
 * `import("limmat")` or `require("limmat")`.
 */
export function findOtherImports(program: Program, renames: readonly ExportRename[]): readonly OtherImport[] {
  return program.tokens.flatMap(({ kind, text }, index) => {
    const entryPoint = kind === "string" ? text.slice(1, -1) : "";
    const candidates = renames.filter((rename) => rename.entryPoint === entryPoint);
    if (candidates.length === 0) return [];
    const textAt = (position: number): string => program.tokens[position]?.text ?? "";
    if (textAt(index - 1) === "from") return reexports(program, index - 2, candidates);
    const isCall = textAt(index - 1) === "(" && /^(?:import|require)$/.test(textAt(index - 2));
    return isCall ? candidates.flatMap((rename) => namesOf(program, rename)) : [];
  });
}

/** Returns the old names of an `export` declaration by the index of its closing brace. */
function reexports(program: Program, close: number, renames: readonly ExportRename[]): readonly OtherImport[] {
  const { tokens } = program;
  const textAt = (position: number): string => tokens[position]?.text ?? "";
  const open = tokens.findIndex((_, index) => index < close && program.closing(index) === close);
  const keyword = textAt(open - 1) === "type" ? textAt(open - 2) : textAt(open - 1);
  if (open === -1 || keyword !== "export") return [];
  return tokens.slice(open + 1, close).flatMap((token, position): readonly OtherImport[] => {
    const index = open + 1 + position;
    const isName = /^[{,]$/.test(textAt(index - 1)) || (textAt(index - 1) === "type" && textAt(index - 2) !== "as");
    const rename = renames.find(({ path }) => path.length === 1 && path[0] === token.text);
    if (!isName || rename === undefined) return [];
    const { target, entryPoint } = rename;
    const canRename = target?.entryPoint === entryPoint && target.path.length === 1;
    const text = `${target?.path[0] ?? ""}${textAt(index + 1) === "as" ? "" : ` as ${token.text}`}`;
    const edit = canRename ? { start: token.start, end: token.start + token.text.length, text } : undefined;
    return [{ index, rename, edit }];
  });
}

/** Returns the first place where a program names the path of a rename. */
function namesOf({ tokens }: Program, rename: ExportRename): readonly OtherImport[] {
  const { path } = rename;
  const index = tokens.findIndex((token, start) => {
    return token.kind === "name" && path.every((part, position) => tokens[start + 2 * position]?.text === part);
  });
  return index === -1 ? [] : [{ index, rename, edit: undefined }];
}
