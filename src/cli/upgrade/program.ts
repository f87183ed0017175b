import { canHaveJsx, type Token, tokenize } from "./tokens.ts";

/** Name in an import declaration: `imported as local`. */
export interface ImportedName {
  readonly imported: string;
  readonly local: string;
  /** True for `type imported`. */
  readonly isType: boolean;
  /** Index of the token of the imported name. */
  readonly index: number;
  /** Index of the token of the local name: the same without `as`. */
  readonly localIndex: number;
}

/** Import declaration. */
export interface ImportDeclaration {
  readonly from: string;
  /** True for `import type`. */
  readonly isType: boolean;
  /** Name of `* as name`. */
  readonly namespace: string | undefined;
  readonly names: readonly ImportedName[];
  /** True if there is a default import as well. */
  readonly hasDefault: boolean;
  /** Indexes of the tokens of the braces; `undefined` without braces. */
  readonly braces: readonly [open: number, close: number] | undefined;
  /** Indexes of the first and the last token, the semicolon included. */
  readonly tokens: readonly [first: number, last: number];
}

/** Tokens of a TypeScript program with its brackets and imports. Comments are left out. */
export interface Program {
  readonly code: string;
  readonly tokens: readonly Token[];
  readonly imports: readonly ImportDeclaration[];
  /** Returns the index of the bracket that encloses a token, or -1. */
  readonly enclosing: (index: number) => number;
  /** Returns the index of the closing bracket for the index of an opening one, or -1. */
  readonly closing: (index: number) => number;
}

/**
 * Parses the tokens, brackets and imports of a program. The extension of its path tells if it can have JSX. Never throws:
 * unbalanced brackets are ignored.
 */
export function parseProgram(code: string, path: string): Program {
  const tokens = tokenize(code, { hasJsx: canHaveJsx(path) }).filter(({ kind }) => kind !== "comment");
  const enclosing: number[] = [];
  const closing = new Map<number, number>();
  const open: number[] = [];
  tokens.forEach(({ kind, text }, index) => {
    const closes = kind === "template" ? text.startsWith("}") : kind === "sign" && /^[)\]}]$/.test(text);
    const opens = kind === "template" ? text.endsWith("${") : kind === "sign" && /^[([{]$/.test(text);
    if (closes) {
      const bracket = open.pop();
      if (bracket !== undefined) closing.set(bracket, index);
    }
    enclosing.push(open.at(-1) ?? -1);
    if (opens) open.push(index);
  });
  return {
    code,
    tokens,
    imports: parseImports(tokens),
    enclosing: (index) => enclosing[index] ?? -1,
    closing: (index) => closing.get(index) ?? -1,
  };
}

function parseImports(tokens: readonly Token[]): readonly ImportDeclaration[] {
  return tokens.flatMap((token, index) => {
    const isStatement = token.kind === "name" && token.text === "import" && tokens[index - 1]?.text !== ".";
    const declaration = isStatement ? parseImport(tokens, index) : undefined;
    return declaration === undefined ? [] : [declaration];
  });
}

/** Parses the import declaration that begins at a token; `undefined` for a call of `import` or an import for its effects. */
function parseImport(tokens: readonly Token[], first: number): ImportDeclaration | undefined {
  const textAt = (index: number): string => tokens[index]?.text ?? "";
  let index = first + 1;
  const isType = textAt(index) === "type" && textAt(index + 1) !== "from" && textAt(index + 1) !== ",";
  if (isType) index += 1;
  let namespace: string | undefined;
  let hasDefault = false;
  let braces: readonly [number, number] | undefined;
  const names: ImportedName[] = [];
  for (; index < tokens.length && textAt(index) !== "from"; index++) {
    if (textAt(index) === "*" && textAt(index + 1) === "as") {
      namespace = textAt(index + 2);
      index += 2;
    } else if (textAt(index) === "{") {
      const open = index;
      for (index += 1; index < tokens.length && textAt(index) !== "}"; index++) {
        if (textAt(index) === ",") continue;
        const isTypeName = textAt(index) === "type" && !/^[,}]$/.test(textAt(index + 1));
        if (isTypeName) index += 1;
        const imported = { imported: textAt(index), isType: isTypeName, index };
        if (textAt(index + 1) === "as") index += 2;
        names.push({ ...imported, local: textAt(index), localIndex: index });
      }
      braces = [open, index];
    } else if (tokens[index]?.kind === "name") hasDefault = true;
    else if (textAt(index) !== ",") return undefined;
  }
  const source = tokens[index + 1];
  if (source?.kind !== "string") return undefined;
  let last = index + 1;
  // Import attributes: `with { type: "json" }`.
  if (/^(?:with|assert)$/.test(textAt(last + 1)) && textAt(last + 2) === "{") {
    while (last < tokens.length && textAt(last) !== "}") last += 1;
  }
  if (textAt(last + 1) === ";") last += 1;
  return { from: source.text.slice(1, -1), isType, namespace, names, hasDefault, braces, tokens: [first, last] };
}

/** Replacement of a part of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap, in any order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = "";
  let position = 0;
  for (const edit of sorted) {
    result += text.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return result + text.slice(position);
}

/** Returns the line of an index of a text, from 1. */
export const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length;
