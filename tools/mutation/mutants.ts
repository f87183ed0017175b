import { stripTypeScriptTypes } from "node:module";
import { endOf, scan, type Token } from "./tokens.ts";

/** A program that differs from the original in one place, where a good test would notice. */
export interface Mutant {
  /** From 1. */
  readonly line: number;
  /** The line as it was, types taken away, and as it is instead. */
  readonly was: string;
  readonly becomes: string;
  /** The whole program, types taken away. */
  readonly code: string;
}

/** A change: this many tokens' text from here on, and what is written instead. */
interface Change {
  readonly at: number;
  readonly end: number;
  readonly to: string;
}

const signs: Readonly<Record<string, string>> = {
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

const words: Readonly<Record<string, string>> = {
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

const leftOut = new Set(["trim", "sort", "filter", "slice", "reverse", "toReversed", "toSorted"]);

// Words that begin something other than an expression, a `throw`, a `return`, a `break` or a `continue`.
const declarations = new Set(
  "async case catch class const default do else finally for function get if let set static switch try var while".split(
    " ",
  ),
);

/** All mutants of a TypeScript program that can be loaded. */
export function mutantsOf(source: string): readonly Mutant[] {
  const code = stripTypeScriptTypes(source);
  const tokens = scan(code);
  const seen = new Set([code]);
  return tokens.flatMap((_, index) =>
    [...changesAt(code, tokens, index)].flatMap(({ at, end, to }) => {
      const changed = code.slice(0, at) + to + code.slice(end);
      if (seen.has(changed) || !isProgram(changed)) return [];
      seen.add(changed);
      return [{ line: code.slice(0, at).split("\n").length, ...lines(code, at, end, to), code: changed }];
    }),
  );
}

function lines(code: string, at: number, end: number, to: string): Pick<Mutant, "was" | "becomes"> {
  const begin = code.lastIndexOf("\n", at - 1) + 1;
  const close = (code + "\n").indexOf("\n", end);
  const tidy = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  return { was: tidy(code.slice(begin, close)), becomes: tidy(code.slice(begin, at) + to + code.slice(end, close)) };
}

function isProgram(code: string): boolean {
  try {
    stripTypeScriptTypes(code);
    return true;
  } catch {
    return false;
  }
}

function* changesAt(code: string, tokens: readonly Token[], index: number): Generator<Change> {
  const { text, at } = tokens[index] as Token;
  const end = at + text.length;
  const before = tokens[index - 1]?.text ?? "";
  const after = tokens[index + 1]?.text ?? "";
  const from = (first: number, last: number): string => code.slice(tokens[first]?.at, tokens[last]?.at);
  const followsValue = /[\w)\]"'`]$/.test(before);

  if (Object.hasOwn(signs, text) && (followsValue || !/^[+\-*/]$/.test(text)))
    yield { at, end, to: signs[text] as string };
  if (text === "!" || (text === "-" && !followsValue)) yield { at, end, to: "" };
  if (text === "true" || text === "false") yield { at, end, to: String(text === "false") };
  if (/^\d[\d_]*$/.test(text)) yield { at, end, to: String(Number(text.replaceAll("_", "")) + 1) };
  if (/^(?:".+"|'.+'|`[^]+`)$/.test(text) && !isKey(before, after) && !isProse(tokens, index))
    yield { at, end, to: text.startsWith("`") ? "``" : '""' };
  if (/^\/.+\/\w*$/.test(text)) for (const to of patterns(text)) yield { at, end, to };
  if (before === "." && Object.hasOwn(words, text)) yield { at, end, to: words[text] as string };
  if (after === "(" && /^\??\.$/.test(before) && leftOut.has(text)) {
    const close = tokens[endOf(tokens, index + 2, [])] as Token;
    yield { at: (tokens[index - 1] as Token).at, end: close.at + 1, to: "" };
  }
  if ((text === "if" || text === "while") && after === "(") {
    const close = tokens[endOf(tokens, index + 2, [])] as Token;
    if (text === "if") yield { at, end: close.at + 1, to: "if (true)" };
    yield { at, end: close.at + 1, to: `${text} (false)` };
  }
  if (text === "?") {
    const colon = endOf(tokens, index + 1, [":"]);
    const last = endOf(tokens, colon + 1, [";", ",", ":"]);
    const stop = (tokens[last] as Token).at;
    yield { at, end: stop, to: `? ${from(index + 1, colon)}: ${from(index + 1, colon)}` };
    yield { at, end: stop, to: `? ${from(colon + 1, last)} : ${from(colon + 1, last)}` };
  }
  if (text === "return" || (text === "=>" && after !== "{")) {
    const last = endOf(tokens, index + 1, text === "return" ? [";"] : [";", ","]);
    const isNothing = last === index + 1 || (last === index + 2 && /^(?:undefined|false)$/.test(after));
    if (!isNothing) yield { at, end: (tokens[last] as Token).at, to: text === "return" ? "return" : "=> undefined" };
  }
  if (text === "[" && !followsValue && after !== "]" && !/^(?:const|let)$/.test(before)) {
    const close = endOf(tokens, index + 1, []);
    const isDestructured = /^=>?$/.test(tokens[close + 1]?.text ?? "") || tokens[close + 2]?.text === "=>";
    if (!isDestructured) yield { at, end: (tokens[close] as Token).at + 1, to: "[]" };
  }
  if (/^[a-z]/i.test(text) && /^[;{})]$/.test(before) && !declarations.has(text)) {
    const last = endOf(tokens, index, [";"]);
    const isMethod = tokens.slice(index, last).some((_, step) => from(index + step, index + step + 2) === ") {");
    const isField = last === index + 1 && !/^(?:return|break|continue)$/.test(text);
    if (tokens[last]?.text === ";" && !isMethod && !isField) yield { at, end: tokens[last].at, to: "" };
  }
}

/** Regular expressions without an end, with a set turned over, a repetition more or less, or a flag less. */
function* patterns(text: string): Generator<string> {
  const pieces = /\\.|\[\^?|\][*+?]?|[*+?^$]/g;
  const close = text.lastIndexOf("/");
  const put = (at: number, length: number, to: string): string => text.slice(0, at) + to + text.slice(at + length);
  let isInside = false;
  for (const { 0: piece, index: at } of text.slice(0, close).matchAll(pieces)) {
    if (piece.startsWith("[") && !isInside) yield put(at, piece.length, piece === "[" ? "[^" : "[");
    if ((piece === "^" || piece === "$") && !isInside) yield put(at, 1, "");
    if (/[*+?]$/.test(piece) && !piece.startsWith("\\") && (!isInside || piece.length === 2) && text[at - 1] !== "(")
      yield put(at + piece.length - 1, 1, piece.endsWith("+") ? "*" : piece.endsWith("*") ? "+" : "");
    if (/^\\[dws]$/.test(piece)) yield put(at, 2, piece.toUpperCase());
    isInside = piece.startsWith("[") || (isInside && !piece.startsWith("]"));
  }
  if (/[gi]/.test(text.slice(close))) yield text.slice(0, close) + text.slice(close).replace(/[gi]/, "");
}

const isKey = (before: string, after: string): boolean => after === ":" && /^[{,]$/.test(before);

/** Whether a text is for people: a sentence, or the name of a key, a log or a middleware, which only debuggers see. */
function isProse(tokens: readonly Token[], index: number): boolean {
  const call = tokens[index - 2]?.text;
  return (
    / \w+ /.test(tokens[index]?.text ?? "") ||
    (tokens[index - 1]?.text === "(" && /^(?:Key|source|factory|named)$/.test(call ?? ""))
  );
}
