import { stripTypeScriptTypes } from "node:module";
import { findEnd, type Token, tokenize } from "./tokens.ts";

/** A copy of a program with one change, which a good test detects. */
export interface Mutant {
  /** Line number, from 1. */
  readonly line: number;
  /** Original line and changed line, without types. */
  readonly original: string;
  readonly changed: string;
  /** Whole program without types. */
  readonly code: string;
}

/** Replacement of a part of a program. `start` and `end` are character indices. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const operatorReplacements: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "?.": ".",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "++": "--",
  "--": "++",
};

const methodReplacements: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  startsWith: "endsWith",
  endsWith: "startsWith",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
};

const removableMethods = new Set(["trim", "sort", "filter", "slice", "reverse", "toReversed", "toSorted"]);

// Keywords that begin a statement which cannot be removed.
const unremovableKeywords = new Set(
  "async case catch class const default do else finally for function get if let set static switch try var while".split(
    " ",
  ),
);

/** Creates all mutants of a TypeScript program that are syntactically valid. */
export function createMutants(source: string): readonly Mutant[] {
  const code = stripTypeScriptTypes(source);
  const tokens = tokenize(code);
  const seen = new Set([code]);
  return tokens.flatMap((_, index) =>
    [...changesAt(code, tokens, index)].flatMap((change) => {
      const mutant = code.slice(0, change.start) + change.replacement + code.slice(change.end);
      if (seen.has(mutant) || !isValidProgram(mutant)) return [];
      seen.add(mutant);
      return [{ line: code.slice(0, change.start).split("\n").length, ...changedLines(code, change), code: mutant }];
    }),
  );
}

function changedLines(code: string, { start, end, replacement }: Change): Pick<Mutant, "original" | "changed"> {
  const lineStart = code.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = (code + "\n").indexOf("\n", end);
  const normalize = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  return {
    original: normalize(code.slice(lineStart, lineEnd)),
    changed: normalize(code.slice(lineStart, start) + replacement + code.slice(end, lineEnd)),
  };
}

function isValidProgram(code: string): boolean {
  try {
    stripTypeScriptTypes(code);
    return true;
  } catch {
    return false;
  }
}

function* changesAt(code: string, tokens: readonly Token[], index: number): Generator<Change> {
  const { text, start } = tokens[index] as Token;
  const end = start + text.length;
  const previous = tokens[index - 1]?.text ?? "";
  const next = tokens[index + 1]?.text ?? "";
  const slice = (first: number, last: number): string => code.slice(tokens[first]?.start, tokens[last]?.start);
  const followsValue = /[\w)\]"'`]$/.test(previous);

  if (Object.hasOwn(operatorReplacements, text) && (followsValue || !/^[+\-*/]$/.test(text)))
    yield { start, end, replacement: operatorReplacements[text] as string };
  if (text === "!" || (text === "-" && !followsValue)) yield { start, end, replacement: "" };
  if (text === "true" || text === "false") yield { start, end, replacement: String(text === "false") };
  if (/^\d[\d_]*$/.test(text)) yield { start, end, replacement: String(Number(text.replaceAll("_", "")) + 1) };
  if (/^(?:".+"|'.+'|`[^]+`)$/.test(text) && !isKey(previous, next) && !isProse(tokens, index))
    yield { start, end, replacement: text.startsWith("`") ? "``" : '""' };
  if (/^\/.+\/\w*$/.test(text)) for (const replacement of regExpMutations(text)) yield { start, end, replacement };
  if (previous === "." && Object.hasOwn(methodReplacements, text))
    yield { start, end, replacement: methodReplacements[text] as string };
  if (next === "(" && /^\??\.$/.test(previous) && removableMethods.has(text)) {
    const close = tokens[findEnd(tokens, index + 2, [])] as Token;
    yield { start: (tokens[index - 1] as Token).start, end: close.start + 1, replacement: "" };
  }
  if ((text === "if" || text === "while") && next === "(") {
    const close = tokens[findEnd(tokens, index + 2, [])] as Token;
    if (text === "if") yield { start, end: close.start + 1, replacement: "if (true)" };
    yield { start, end: close.start + 1, replacement: `${text} (false)` };
  }
  if (text === "?") {
    const colon = findEnd(tokens, index + 1, [":"]);
    const last = findEnd(tokens, colon + 1, [";", ",", ":"]);
    const stop = (tokens[last] as Token).start;
    yield { start, end: stop, replacement: `? ${slice(index + 1, colon)}: ${slice(index + 1, colon)}` };
    yield { start, end: stop, replacement: `? ${slice(colon + 1, last)} : ${slice(colon + 1, last)}` };
  }
  if (text === "return" || (text === "=>" && next !== "{")) {
    const last = findEnd(tokens, index + 1, text === "return" ? [";"] : [";", ","]);
    const isNothing = last === index + 1 || (last === index + 2 && /^(?:undefined|false)$/.test(next));
    if (!isNothing)
      yield { start, end: (tokens[last] as Token).start, replacement: text === "return" ? "return" : "=> undefined" };
  }
  if (text === "[" && !followsValue && next !== "]" && !/^(?:const|let)$/.test(previous)) {
    const close = findEnd(tokens, index + 1, []);
    const isDestructured = /^=>?$/.test(tokens[close + 1]?.text ?? "") || tokens[close + 2]?.text === "=>";
    if (!isDestructured) yield { start, end: (tokens[close] as Token).start + 1, replacement: "[]" };
  }
  if (/^[a-z]/i.test(text) && /^[;{})]$/.test(previous) && !unremovableKeywords.has(text)) {
    const last = findEnd(tokens, index, [";"]);
    const isMethod = tokens.slice(index, last).some((_, step) => slice(index + step, index + step + 2) === ") {");
    const isField = last === index + 1 && !/^(?:return|break|continue)$/.test(text);
    if (tokens[last]?.text === ";" && !isMethod && !isField) yield { start, end: tokens[last].start, replacement: "" };
  }
}

/** Yields regular expressions without an anchor, with an inverted class, another quantifier, or without a flag. */
function* regExpMutations(text: string): Generator<string> {
  const pieces = /\\.|\[\^?|\][*+?]?|[*+?^$]/g;
  const close = text.lastIndexOf("/");
  const replace = (index: number, length: number, replacement: string): string =>
    text.slice(0, index) + replacement + text.slice(index + length);
  let isInClass = false;
  for (const { 0: piece, index } of text.slice(0, close).matchAll(pieces)) {
    if (piece.startsWith("[") && !isInClass) yield replace(index, piece.length, piece === "[" ? "[^" : "[");
    if ((piece === "^" || piece === "$") && !isInClass) yield replace(index, 1, "");
    if (
      /[*+?]$/.test(piece) &&
      !piece.startsWith("\\") &&
      (!isInClass || piece.length === 2) &&
      text[index - 1] !== "("
    )
      yield replace(index + piece.length - 1, 1, piece.endsWith("+") ? "*" : piece.endsWith("*") ? "+" : "");
    if (/^\\[dws]$/.test(piece)) yield replace(index, 2, piece.toUpperCase());
    isInClass = piece.startsWith("[") || (isInClass && !piece.startsWith("]"));
  }
  if (/[gi]/.test(text.slice(close))) yield text.slice(0, close) + text.slice(close).replace(/[gi]/, "");
}

const isKey = (previous: string, next: string): boolean => next === ":" && /^[{,]$/.test(previous);

/** Returns true if a string is for people: a sentence, or the name of a key, a log source or a middleware. */
function isProse(tokens: readonly Token[], index: number): boolean {
  const call = tokens[index - 2]?.text;
  return (
    / \w+ /.test(tokens[index]?.text ?? "") ||
    (tokens[index - 1]?.text === "(" && /^(?:Key|source|factory|named)$/.test(call ?? ""))
  );
}
