import type { TypeProblem } from "./check-types.ts";
import { applyEdits, type Edit, parseProgram } from "./program.ts";
import type { Finding, PropertyRename } from "./rename.ts";

/** Files of a project after a codemod. */
export interface PropertyResult {
  /** Changed texts by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly renamed: readonly Finding[];
}

const unknownProperty =
  /(?:Object literal may only specify known properties, (?:and|but) '([^']+)' does not exist in type '([^\n]*)'|Property '([^']+)' does not exist on type '([^\n]*)')/g;

/**
 * Renames the properties that the type checker does not know. A property is renamed if the message names a type of the
 * rename: `tries` of `JobRecord`, but not `tries` of a type of the application.
 */
export function renameProperties(
  errors: readonly TypeProblem[],
  readFile: (path: string) => string,
  renames: readonly PropertyRename[],
): PropertyResult {
  const files = new Map<string, string>();
  const renamed: Finding[] = [];
  for (const [path, fileErrors] of Map.groupBy(errors, (error) => error.path)) {
    const text = readFile(path);
    const changes = fileErrors.flatMap((error) => propertyEdit(text, error, renames) ?? []);
    const unique = changes.filter(
      (change, index) => changes.findIndex(({ edit }) => edit.start === change.edit.start) === index,
    );
    if (unique.length === 0) continue;
    files.set(
      path,
      applyEdits(
        text,
        unique.map(({ edit }) => edit),
      ),
    );
    renamed.push(...unique.map(({ line, message }) => ({ path, line, message })));
  }
  return { files, renamed };
}

interface PropertyChange {
  readonly edit: Edit;
  readonly line: number;
  readonly message: string;
}

function propertyEdit(
  text: string,
  error: TypeProblem,
  renames: readonly PropertyRename[],
): PropertyChange | undefined {
  const rename = [...error.message.matchAll(unknownProperty)]
    .map(([, literalName, literalType, memberName, memberType]) => {
      const name = literalName ?? memberName;
      const typeNames = new Set((literalType ?? memberType ?? "").match(/[\w$]+/g));
      return renames.find(
        (candidate) => candidate.name === name && candidate.types.some((type) => typeNames.has(type)),
      );
    })
    .find((candidate) => candidate !== undefined);
  const start = indexOf(text, error);
  if (rename === undefined || !text.startsWith(rename.name, start)) return undefined;
  const end = start + rename.name.length;
  const newText = isShorthand(text, error.path, start) ? `${rename.target}: ${rename.name}` : rename.target;
  return {
    edit: { start, end, text: newText },
    line: error.line,
    message: `${rename.name} → ${rename.target} (${rename.types[0] ?? ""})`,
  };
}

/** Returns the index of a position of the type checker, which counts UTF-16 code units. */
function indexOf(text: string, { line, column }: TypeProblem): number {
  let index = 0;
  for (let current = 1; current < line; current++) index = text.indexOf("\n", index) + 1;
  return index + column - 1;
}

/** Returns true for `{ name }`, in an object or in a destructuring pattern. */
function isShorthand(text: string, path: string, start: number): boolean {
  const { tokens } = parseProgram(text, path);
  const index = tokens.findIndex((token) => token.start === start);
  const [previous, next] = [tokens[index - 1]?.text ?? "", tokens[index + 1]?.text ?? ""];
  return /^[{,]$/.test(previous) && /^[,}=]$/.test(next);
}
