/** An import, or an export of what another file exports. */
export interface Import {
  /** What stands behind `from`. */
  readonly specifier: string;
  /** The names that are imported, as the other file calls them; `*` for all of them. */
  readonly names: readonly string[];
  /** Whether only types are imported, which leave no trace at run time. */
  readonly isTypeOnly: boolean;
  /** The line that it begins on, counted from 1. */
  readonly line: number;
}

const comment = /\/\/[^\n]*|\/\*[^]*?\*\//g;
const statement =
  /(?:^|[;}\s])(?:import|export)\s+(type\s+)?([\w$*\s{},]*?)\s*from\s*["']([^"'\n]+)["']|(?:^|[;}\s])import\s*["']([^"'\n]+)["']|\bimport\s*\(\s*["']([^"'\n]+)["']/g;

/** The imports of a TypeScript file. */
export function importsOf(text: string): readonly Import[] {
  // As long as before, so that lines can be counted; a comment sign within a string only costs what follows on its line.
  const code = text.replace(comment, (found) => found.replace(/[^\n]/g, " "));
  return [...code.matchAll(statement)].map((match) => {
    const [whole, typeKeyword, clause = "*", from, bare, dynamic] = match;
    const start = match.index + (/^[;}\s]*/.exec(whole)?.[0].length ?? 0);
    const names = namesOf(clause);
    return {
      specifier: from ?? bare ?? dynamic ?? "",
      names: names.map(({ name }) => name),
      isTypeOnly: typeKeyword !== undefined || (names.length > 0 && names.every(({ isType }) => isType)),
      line: code.slice(0, start).split("\n").length,
    };
  });
}

function namesOf(clause: string): readonly { readonly name: string; readonly isType: boolean }[] {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1];
  if (braces === undefined) return [{ name: clause.includes("*") ? "*" : "default", isType: false }];
  return braces
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .map((each) => ({ name: each.replace(/^type\s+/, "").replace(/\s+as\s+.*$/s, ""), isType: /^type\s/.test(each) }));
}
