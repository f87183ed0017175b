/** Import or re-export of another module. */
export interface Import {
  /** Module specifier, as written after `from`. */
  readonly specifier: string;
  /** Imported names, as the other module exports them; `*` for all of them. */
  readonly names: readonly string[];
  /** True if only types are imported, which are erased at run time. */
  readonly isTypeOnly: boolean;
  /** Line of the statement, counted from 1. */
  readonly line: number;
}

const commentPattern = /\/\/[^\n]*|\/\*[^]*?\*\//g;
const importPattern =
  /(?:^|[;}\s])(?:import|export)\s+(type\s+)?([\w$*\s{},]*?)\s*from\s*["']([^"'\n]+)["']|(?:^|[;}\s])import\s*["']([^"'\n]+)["']|\bimport\s*\(\s*["']([^"'\n]+)["']/g;

/** Returns the imports of a TypeScript file. */
export function parseImports(text: string): readonly Import[] {
  // Blank out comments but keep their length, so that lines can be counted. A comment marker inside a string hides only
  // the rest of its line.
  const code = text.replace(commentPattern, (comment) => comment.replace(/[^\n]/g, " "));
  return [...code.matchAll(importPattern)].map((match) => {
    const [whole, typeKeyword, clause = "*", fromSpecifier, sideEffectSpecifier, dynamicSpecifier] = match;
    const start = match.index + (/^[;}\s]*/.exec(whole)?.[0].length ?? 0);
    const names = parseImportedNames(clause);
    return {
      specifier: fromSpecifier ?? sideEffectSpecifier ?? dynamicSpecifier ?? "",
      names: names.map(({ name }) => name),
      isTypeOnly: typeKeyword !== undefined || (names.length > 0 && names.every(({ isType }) => isType)),
      line: code.slice(0, start).split("\n").length,
    };
  });
}

function parseImportedNames(clause: string): readonly { readonly name: string; readonly isType: boolean }[] {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1];
  if (braces === undefined) return [{ name: clause.includes("*") ? "*" : "default", isType: false }];
  return braces
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => ({ name: part.replace(/^type\s+/, "").replace(/\s+as\s+.*$/s, ""), isType: /^type\s/.test(part) }));
}
